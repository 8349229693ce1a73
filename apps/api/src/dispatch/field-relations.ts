import type { FieldProblem } from '#validation/validate.js';

type Body<Field extends string> = Readonly<Partial<Record<Field, unknown>>>;

/** The problem of a body that has none of the two fields, or both. */
export function exactlyOne<Field extends string>(
  body: Body<Field>,
  one: Field,
  other: Field,
): FieldProblem[] {
  const loc = ['body', one];
  if (body[one] === undefined && body[other] === undefined) {
    return [{ loc, msg: `or ${other} is required`, type: 'missing' }];
  }
  if (body[one] !== undefined && body[other] !== undefined) {
    return [{ loc, msg: `and ${other} exclude each other: send one of them`, type: 'value' }];
  }
  return [];
}

/** Something of a list of presets, or `custom`, which says what it is in words. */
interface CustomisableChoice {
  readonly preset: string;
  readonly custom_text?: string | undefined;
}

/** The problem of a choice whose preset is `custom` and that does not say what it is instead. */
export function customWithoutText(
  choice: CustomisableChoice | undefined,
  loc: FieldProblem['loc'],
): FieldProblem[] {
  if (choice?.preset !== 'custom' || choice.custom_text !== undefined) return [];
  return [{ loc: [...loc, 'custom_text'], msg: 'is required with preset custom', type: 'missing' }];
}
