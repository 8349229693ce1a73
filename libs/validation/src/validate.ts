import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { holdsRules } from './holds-rules.js';
import { relationsOf, rulesOf, type FieldProblem, type Relation, type Shape } from './relations.js';

export type { FieldProblem, Shape };

export class InvalidFields extends Error {
  override readonly name = 'InvalidFields';

  constructor(readonly problems: readonly FieldProblem[]) {
    super(problems.map(({ loc, msg }) => `${loc.join('.')} ${msg}`).join('; '));
  }
}

/** Callers do not read more than this, and an answer must not be much larger than the request. */
const mostProblems = 100;

/** The facts of a rule beside class-validator's own, in its `context`. */
export interface RuleContext {
  /** The value of `detail[].type` for a broken rule. Default: the rule's name. */
  readonly type?: string;
  /** The class of the field's value, or of its items. */
  readonly shape?: Shape;
  /** Converts a value that arrived as text. */
  readonly fromText?: (sent: unknown) => unknown;
}

/** class-validator types a context as `any`; the rules of this service always give a RuleContext. */
const contextOf = (context: unknown) => context as RuleContext | undefined;

/**
 * Turns what a caller sent into an instance of its class: no value is coerced unless a rule says so, unknown fields are
 * refused, and null means absent, so a null field takes its default. Rules between fields are checked after each single
 * field is valid.
 * @param place the part of the request: `body`, `query`
 * @throws InvalidFields naming every field that is wrong
 */
export function validate<T extends object>(shape: Shape<T>, value: unknown, place: string): T {
  if (!isObject(value)) {
    throw new InvalidFields([{ loc: [place], msg: 'must be an object', type: 'object' }]);
  }
  const isEmpty = Object.keys(value).length === 0;
  if (isEmpty && mayBeEmpty.has(shape)) return new shape();
  const reading: Reading = { unknown: [], related: [] };
  const instance = instanceOf(shape, value, [place], reading);
  const errors = holdsRules(instance)
    ? []
    : validateSync(instance, { forbidUnknownValues: true, stopAtFirstError: true });
  const ofFields = [...errors.flatMap((error) => problemsOf(error, [place])), ...reading.unknown];
  const problems =
    ofFields.length > 0
      ? ofFields
      : onePerField(
          reading.related.flatMap(({ part, relations, loc }) =>
            relations.flatMap((relation) => relation.problems(part, loc)),
          ),
        );
  if (problems.length > 0) throw new InvalidFields(problems.slice(0, mostProblems));
  if (isEmpty) mayBeEmpty.add(shape);
  return instance;
}

/** If two rules fail for the same field, only the first is reported. */
function onePerField(problems: readonly FieldProblem[]): FieldProblem[] {
  const first = new Map(problems.toReversed().map((problem) => [problem.loc.join('.'), problem]));
  return problems.filter((problem) => first.get(problem.loc.join('.')) === problem);
}

/** The findings while a request is turned into instances. */
interface Reading {
  readonly unknown: FieldProblem[];
  readonly related: {
    readonly part: object;
    readonly relations: readonly Relation[];
    readonly loc: FieldProblem['loc'];
  }[];
}

/** Shapes for which an empty value is valid; most queries have one. */
const mayBeEmpty = new Set<Shape>();

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * An instance with the sent fields, at every depth, and with defaults for the others. ADR 49 says why it does not use
 * class-transformer. Unknown fields are reported but left out of the instance, so that a field named `constructor`
 * cannot hide a member that validation needs.
 */
function instanceOf<T extends object>(
  shape: Shape<T>,
  sent: object,
  loc: FieldProblem['loc'],
  reading: Reading,
): T {
  const instance = new shape();
  const { fields, relations } = known(shape);
  if (relations.length > 0) reading.related.push({ part: instance, relations, loc });
  for (const [name, value] of Object.entries(sent)) {
    const field = fields.get(name);
    if (field) {
      if (value === null) continue;
      Object.assign(instance, { [name]: valueOf(field, value, [...loc, name], reading) });
    } else if (reading.unknown.length < mostProblems) {
      reading.unknown.push({
        loc: [...loc, name],
        msg: 'is not a field of this request',
        type: 'extra_forbidden',
      });
    }
  }
  return instance;
}

/** A value of the wrong form stays unchanged, so that the field's rule refuses it. */
function valueOf(
  { shape, fromText, isList }: Field,
  sent: unknown,
  loc: FieldProblem['loc'],
  reading: Reading,
): unknown {
  if (fromText) return fromText(sent);
  if (!shape) return sent;
  const part = (value: unknown, at: FieldProblem['loc']) =>
    isObject(value) ? instanceOf(shape, value, at, reading) : value;
  if (!isList) return part(sent, loc);
  return Array.isArray(sent) ? sent.map((item, index) => part(item, [...loc, index])) : sent;
}

interface Field extends RuleContext {
  /** The rules of the shape apply to each item. */
  readonly isList?: boolean;
}

interface Known {
  /** Includes inherited fields, with the facts from their rules. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly relations: readonly Relation[];
}

const knownShapes = new Map<Shape, Known>();

function known(shape: Shape): Known {
  let found = knownShapes.get(shape);
  if (!found) {
    const fields = new Map<string, Field>();
    for (const { propertyName, context, each } of rulesOf(shape)) {
      const { isList = false, ...before } = fields.get(propertyName) ?? {};
      fields.set(propertyName, { ...before, ...contextOf(context), isList: isList || each });
    }
    knownShapes.set(shape, (found = { fields, relations: relationsOf(shape) }));
  }
  return found;
}

/** With `stopAtFirstError`, a property has one broken rule, or children, or neither. */
function problemsOf(error: ValidationError, parents: FieldProblem['loc']): FieldProblem[] {
  const { property, value, constraints = {}, contexts = {}, children = [] } = error;
  const loc = [...parents, Array.isArray(error.target) ? Number(property) : property];
  const [broken] = Object.entries(constraints);
  if (!broken) return children.flatMap((child) => problemsOf(child, loc));
  const [rule, msg] = broken;
  if (value === undefined || value === null) return [{ loc, msg: `is required and ${msg}`, type: 'missing' }];
  const type = contextOf(contexts[rule])?.type ?? rule;
  const items = wrongItems(error, rule);
  return items ? items.map((index) => ({ loc: [...loc, index], msg, type })) : [{ loc, msg, type }];
}

/**
 * class-validator reports that a rule for each item is broken, but not which items break it. Undefined for other rules.
 */
function wrongItems(
  { target: object = {}, property, value }: ValidationError,
  broken: string,
): number[] | undefined {
  const storage = getMetadataStorage();
  const { constructor } = object;
  const rules = rulesOf(constructor)
    .filter(({ propertyName, each }) => propertyName === property && each)
    .flatMap(({ constraintCls, constraints }) =>
      storage.getTargetValidatorConstraints(constraintCls).map(({ name, instance }) => ({
        name,
        holds: (item: unknown) =>
          instance.validate(item, {
            value: item,
            constraints,
            targetName: constructor.name,
            object,
            property,
          }),
      })),
    );
  if (!Array.isArray(value) || !rules.some(({ name }) => name === broken)) return undefined;
  return value.flatMap((item, index) => (rules.every(({ holds }) => holds(item) === true) ? [] : [index]));
}
