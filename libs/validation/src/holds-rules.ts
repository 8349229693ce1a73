import { getMetadataStorage, ValidationTypes, type ValidationArguments } from 'class-validator';
import { rulesOf } from './relations.js';

type Rules = ReturnType<typeof rulesOf>;
type Check = (object: object) => boolean;

const compiled = new Map<Function, Check>();

/**
 * Whether an instance keeps all class-validator rules of its class. It reads the rules of a class once, so it takes a
 * fraction of `validateSync`. It does not say which rule is broken: ask `validateSync` then.
 * @returns false also for what it cannot judge, such as a class without rules
 */
export function holdsRules(instance: object): boolean {
  const { constructor } = instance;
  let holds = compiled.get(constructor);
  if (!holds) compiled.set(constructor, (holds = checkOfClass(constructor)));
  return holds(instance);
}

function checkOfClass(shape: Function): Check {
  const checks = [...Map.groupBy(rulesOf(shape), ({ propertyName }) => propertyName)].map(
    ([property, rules]) => checkOfProperty(property, rules),
  );
  return checks.length === 0 ? () => false : (object) => checks.every((holds) => holds(object));
}

const judged: readonly string[] = [
  ValidationTypes.CUSTOM_VALIDATION,
  ValidationTypes.NESTED_VALIDATION,
  ValidationTypes.CONDITIONAL_VALIDATION,
];

function checkOfProperty(property: string, rules: Rules): Check {
  if (rules.some(({ type }) => !judged.includes(type))) return () => false;
  const ofType = (wanted: string) => rules.filter(({ type }) => type === wanted);
  const conditions = ofType(ValidationTypes.CONDITIONAL_VALIDATION).map(
    // The one constraint of such a rule is its condition.
    ({ constraints }) => constraints[0] as (object: object, value: unknown) => boolean,
  );
  const tests = ofType(ValidationTypes.CUSTOM_VALIDATION).map(testOf);
  const isNested = ofType(ValidationTypes.NESTED_VALIDATION).length > 0;
  return (object) => {
    const value: unknown = Reflect.get(object, property);
    if (!conditions.every((applies) => applies(object, value))) return true;
    return tests.every((holds) => holds(object, value)) && (!isNested || holdNested(value));
  };
}

function testOf({ propertyName: property, constraintCls, constraints, each, validateIf }: Rules[number]) {
  const validators = getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => instance);
  return (object: object, value: unknown): boolean => {
    if (validateIf && !validateIf(object, value)) return true;
    const told: ValidationArguments = {
      targetName: object.constructor.name,
      property,
      object,
      value,
      constraints,
    };
    const items = each && Array.isArray(value) ? (value as unknown[]) : [value];
    return validators.every((validator) => items.every((item) => validator.validate(item, told) === true));
  };
}

/** Parts of a request are instances of their classes by now, unless they are of a wrong form. */
function holdNested(value: unknown): boolean {
  if (value === undefined) return true;
  const parts = Array.isArray(value) ? (value as unknown[]) : [value];
  return parts.every((part) => typeof part === 'object' && part !== null && holdsRules(part));
}
