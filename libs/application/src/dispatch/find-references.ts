import type { Reference } from '#workflows/define-workflow.js';

/** A reference that a body makes. */
export interface NamedReference {
  readonly reference: Reference;
  /** What the body says: an id, or a storage key. */
  readonly value: string;
  /** The way to it from the request: `['body', 'items', 1, 'trial_image']`. */
  readonly loc: readonly (string | number)[];
  /** What the engine knows the picture by: `item-1` for an array's. Undefined where it gets none. */
  readonly input: string | undefined;
}

/** The references of a validated body, in the order of the workflow's table. Fields that are absent refer to nothing. */
export function findReferences(
  references: readonly Reference[],
  body: Readonly<Record<string, unknown>>,
): NamedReference[] {
  return references.flatMap((reference) =>
    valuesAt(body, reference.field.split('.'), ['body']).flatMap(({ value, loc }) => {
      if (typeof value !== 'string') return [];
      const index = loc.find((part) => typeof part === 'number');
      const name = 'input' in reference ? reference.input : undefined;
      const input = name !== undefined && index !== undefined ? `${name}-${index}` : name;
      return [{ reference, value, loc, input }];
    }),
  );
}

/** `['body', 'items', 1, 'trial_image']` → `items[1].trial_image`. */
export function fieldAt([, ...path]: NamedReference['loc']): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );
}

type Place = Pick<NamedReference, 'loc'> & { readonly value: unknown };

function valuesAt(value: unknown, path: readonly string[], loc: NamedReference['loc']): Place[] {
  const [part, ...rest] = path;
  if (part === undefined) return [{ value, loc }];
  if (typeof value !== 'object' || value === null) return [];
  const name = part.replace('[]', '');
  // An object, as was just seen; its fields can be anything.
  const member = (value as Record<string, unknown>)[name];
  if (name === part) return valuesAt(member, rest, [...loc, name]);
  if (!Array.isArray(member)) return [];
  return member.flatMap((item, index) => valuesAt(item, rest, [...loc, name, index]));
}
