import { erasedValueFor } from '#domain/erased.js';
import { eventFamilies } from '#domain/event-families.js';
import type { PersonalFields } from '#domain/event-family.js';

/** The values of personal fields, by their paths in the event's data: `displayName`, `inputs.0.sha256`. */
export type Words = Readonly<Record<string, unknown>>;

/** Data without its personal words, and the words. */
export interface Parted {
  readonly data: unknown;
  readonly words: Words;
}

type Members = Record<string, unknown>;

/** The personal fields of an event type alone; types without any are left out. */
const personalOf = new Map(
  eventFamilies
    .flatMap(({ personal }) => Object.entries(personal))
    .flatMap(([type, fields]) => {
      const kept = onlyPersonal(fields);
      return kept ? [[type, kept] as const] : [];
    }),
);

function onlyPersonal(fields: PersonalFields): PersonalFields | undefined {
  const kept = Object.entries(fields).flatMap(([name, answer]) => {
    const its = typeof answer === 'boolean' ? answer : onlyPersonal(answer);
    return its ? [[name, its] as const] : [];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/**
 * Puts a value that means "erased" in the place of each personal value, and gives these values beside it. So the stored
 * data is readable without any key, and stays as it is when the key is destroyed. Undefined: the event has no personal
 * words.
 */
export function partWords(type: string, data: unknown): Parted | undefined {
  const fields = personalOf.get(type);
  if (!fields) return undefined;
  const words: Members = {};
  const parted = part(data, fields, '', words);
  return parted === data ? undefined : { data: parted, words };
}

/** @param path of the value, with a dot at its end */
function part(value: unknown, fields: PersonalFields, path: string, words: Members): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item, index) => part(item, fields, `${path}${index}.`, words));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  // An object that is not an array.
  let parted = value as Members;
  for (const [name, answer] of Object.entries(fields)) {
    const own = (value as Members)[name];
    if (own === undefined || own === null) continue;
    const stays =
      typeof answer === 'boolean' ? erasedValueFor(own) : part(own, answer, `${path}${name}.`, words);
    if (typeof answer === 'boolean') words[`${path}${name}`] = own;
    if (stays === own) continue;
    if (parted === value) parted = { ...parted };
    parted[name] = stays;
  }
  return parted;
}

/** The data with the words at their places. Changes nothing that it was given. */
export function joinWords({ data, words }: Parted): unknown {
  const copies = new Set<Members>();
  const joined = shallowCopy(data);
  for (const [path, value] of Object.entries(words)) {
    const steps = path.split('.');
    const last = steps.pop() ?? path;
    let place = joined;
    for (const step of steps) {
      const inner = place[step] as Members;
      if (copies.has(inner)) place = inner;
      else {
        place = place[step] = shallowCopy(inner);
        copies.add(place);
      }
    }
    place[last] = value;
  }
  return joined;
}

/** Words lie only in objects and in arrays, where `part` found them; an array takes an index like a name. */
function shallowCopy(value: unknown): Members {
  return (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Members;
}
