/** Segments of letters, digits, `.`, `_` and `-` that do not begin with a dot: no key can lead out of a folder. */
const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,127}){0,7}$/;

export function isStorageKey(key: string): boolean {
  return pattern.test(key);
}

/** @throws RangeError for a key that this service does not make */
export function checkStorageKey(key: string): string {
  if (!isStorageKey(key)) throw new RangeError('not a storage key');
  return key;
}

const types: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
};

/** The end of a key shows the type of its content, so that the type need not be stored with the bytes. */
export function contentTypeOf(key: string): string {
  return types[/\.([a-z]+)$/.exec(key)?.[1] ?? ''] ?? 'application/octet-stream';
}

/** @throws RangeError for a prefix that is no beginning of this service's keys, or that holds more than one thing */
export function checkErasedPrefix(prefix: string): string {
  checkStorageKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
  // `{env}/{tenant}/{kind}/{thing}`: anything shorter is a whole folder of a tenant.
  if (prefix.split('/').length < 4) throw new RangeError('this prefix would remove more than one thing');
  return prefix;
}
