import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';

export type Shape<T extends object = object> = new () => T;

/** One field that is wrong. `loc` leads to it from the request: `['body', 'items', 0, 'trial_image']`. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** Stable and machine-readable, for example `missing`, `enum`, `extra_forbidden`. */
  readonly type: string;
}

/** A request with fields that are wrong. */
export class InvalidFields extends Error {
  override readonly name = 'InvalidFields';

  constructor(readonly problems: readonly FieldProblem[]) {
    super(problems.map(({ loc, msg }) => `${loc.join('.')} ${msg}`).join('; '));
  }
}

/** Callers read no more of them, and an answer must not be much larger than the request. */
const mostProblems = 100;

/** What a rule says beside class-validator's own words, in its `context`. */
export interface RuleContext {
  /** What `detail[].type` says when the rule is broken. Default: the rule's name. */
  readonly type?: string;
  /** The class of the field's value, or of its items. */
  readonly shape?: Shape;
  /** Brings what arrived as text into form. */
  readonly fromText?: (sent: unknown) => unknown;
}

/** class-validator keeps a context as anything; the rules of this service say what a RuleContext says. */
const contextOf = (context: unknown) => context as RuleContext | undefined;

/**
 * Turns what a caller sent into an instance of its class: nothing is coerced unless a rule says so, unknown fields are
 * refused, and null means absent, so that a field that is null takes its default.
 * @param place where it was: `body`, `query`
 * @throws InvalidFields naming every field that is wrong
 */
export function validate<T extends object>(shape: Shape<T>, value: unknown, place: string): T {
  if (!isObject(value)) {
    throw new InvalidFields([{ loc: [place], msg: 'must be an object', type: 'object' }]);
  }
  const isEmpty = Object.keys(value).length === 0;
  if (isEmpty && mayBeEmpty.has(shape)) return new shape();
  const unknown: FieldProblem[] = [];
  const instance = instanceOf(shape, value, [place], unknown);
  const errors = validateSync(instance, { forbidUnknownValues: true, stopAtFirstError: true });
  if (errors.length === 0 && unknown.length === 0) {
    if (isEmpty) mayBeEmpty.add(shape);
    return instance;
  }
  const problems = [...errors.flatMap((error) => problemsOf(error, [place])), ...unknown];
  throw new InvalidFields(problems.slice(0, mostProblems));
}

/** Shapes that nothing at all was found to fit, as most queries are. */
const mayBeEmpty = new Set<Shape>();

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * An instance with what was sent, at every depth, and defaults where nothing was. class-transformer would do the same,
 * in a time that grows with the square of the fields: a body of 80,000 unknown ones held the process for seven seconds.
 * Fields that the shape does not have go to `unknown` and not into the instance, so that a field named `constructor`
 * hides nothing that validation relies on.
 */
function instanceOf<T extends object>(
  shape: Shape<T>,
  sent: object,
  loc: FieldProblem['loc'],
  unknown: FieldProblem[],
): T {
  const instance = new shape();
  const fields = fieldsOf(shape);
  for (const [name, value] of Object.entries(sent)) {
    const field = fields.get(name);
    if (field) {
      if (value === null) continue;
      Object.assign(instance, { [name]: valueOf(field, value, [...loc, name], unknown) });
    } else if (unknown.length < mostProblems) {
      unknown.push({ loc: [...loc, name], msg: 'is not a field of this request', type: 'extra_forbidden' });
    }
  }
  return instance;
}

/** What has not the form that the field wants stays as it is, for its rule to refuse. */
function valueOf(
  { shape, fromText, isList }: Field,
  sent: unknown,
  loc: FieldProblem['loc'],
  unknown: FieldProblem[],
): unknown {
  if (fromText) return fromText(sent);
  if (!shape) return sent;
  const part = (value: unknown, at: FieldProblem['loc']) =>
    isObject(value) ? instanceOf(shape, value, at, unknown) : value;
  if (!isList) return part(sent, loc);
  return Array.isArray(sent) ? sent.map((item, index) => part(item, [...loc, index])) : sent;
}

interface Field extends RuleContext {
  /** The rules of the shape are for each item. */
  readonly isList?: boolean;
}

const known = new Map<Shape, ReadonlyMap<string, Field>>();

/** The fields of a shape, inherited ones included, and what their rules say of them. */
function fieldsOf(shape: Shape): ReadonlyMap<string, Field> {
  let fields = known.get(shape);
  if (!fields) {
    const found = new Map<string, Field>();
    for (const { propertyName, context, each } of rulesOf(shape)) {
      const { isList = false, ...before } = found.get(propertyName) ?? {};
      found.set(propertyName, { ...before, ...contextOf(context), isList: isList || each });
    }
    known.set(shape, (fields = found));
  }
  return fields;
}

const rulesOf = (shape: Function) =>
  getMetadataStorage().getTargetValidationMetadatas(shape, '', true, false);

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

/** class-validator tells that a rule for each item is broken, and not by which items: undefined for other rules. */
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
            ...{ value: item, constraints, targetName: constructor.name },
            ...{ object, property },
          }),
      })),
    );
  if (!Array.isArray(value) || !rules.some(({ name }) => name === broken)) return undefined;
  return value.flatMap((item, index) => (rules.every(({ holds }) => holds(item) === true) ? [] : [index]));
}
