import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { invalid, type FieldProblem } from '../errors/api-error.js';
import { readObject, rulesOf, type Shape } from './field-rules.js';

export type { Shape };

/** Nobody reads more of them, and an answer must not be much larger than what it answers. */
const mostProblems = 100;

/**
 * Turns what a caller sent into an instance of its class: nothing is coerced, unknown fields are refused, and
 * null means absent, so that a field that is null takes its default.
 * @param place where it was: `body`, `query`
 * @throws ApiError 422 naming every field that is wrong
 */
export function validate<T extends object>(shape: Shape<T>, value: unknown, place: string): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid([{ loc: [place], msg: 'must be an object', type: 'object' }]);
  }
  const rules = place === 'body' ? rulesOf(shape) : undefined;
  if (rules) {
    const problems: FieldProblem[] = [];
    const read = readObject(shape, rules, value, problems);
    if (problems.length === 0) return read;
    const shown = problems.slice(0, mostProblems);
    throw invalid(shown.map((problem) => ({ ...problem, loc: [place, ...problem.loc] })));
  }
  // Queries arrive as text, which class-transformer brings into form first.
  const instance = plainToInstance(shape, value);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
  });
  if (errors.length > 0) throw invalid(errors.flatMap((error) => problemsOf(error, [place])));
  return withDefaults(shape, instance);
}

function withDefaults<T extends object>(shape: Shape<T>, instance: T): T {
  let defaults: T | undefined;
  for (const key of Object.keys(instance) as (keyof T)[]) {
    if (instance[key] !== null && instance[key] !== undefined) continue;
    defaults ??= new shape();
    if (defaults[key] === undefined) delete instance[key];
    else instance[key] = defaults[key];
  }
  return instance;
}

function problemsOf(error: ValidationError, parents: readonly (string | number)[]): FieldProblem[] {
  const { property, constraints, children = [] } = error;
  const loc = [...parents, /^\d+$/.test(property) ? Number(property) : property];
  const own = Object.entries(constraints ?? {}).map(([name, msg]) => problemOf(loc, name, msg, error.value));
  return [...own, ...children.flatMap((child) => problemsOf(child, loc))];
}

function problemOf(loc: FieldProblem['loc'], name: string, msg: string, value: unknown): FieldProblem {
  if (name === 'whitelistValidation') {
    return { loc, msg: 'is not a field of this request', type: 'extra_forbidden' };
  }
  if (value === undefined || value === null) return { loc, msg: `is required and ${msg}`, type: 'missing' };
  return { loc, msg, type: name };
}
