import { readFileSync } from 'node:fs';
import type { Capability } from '#domain/key/key.events.js';
import type { Json } from './api-client.js';

/** One operation of openapi.json, as `[method, path]`: `['GET', '/v1/jobs/{public_id}']`. */
export type Operation = readonly [method: string, path: string];

/** Every operation that needs a key. */
export function guardedOperations(): Operation[] {
  const document: Json = JSON.parse(readFileSync('openapi.json', 'utf8'));
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([, operation]) => (operation.security ?? document.security).length > 0)
      .map(([method]): Operation => [method.toUpperCase(), path]),
  );
}

/** Open to any valid key: the state of its own account, and where a picture comes from. */
const open = new Set([
  '/v1/credits',
  '/v1/usage',
  '/v1/transactions',
  '/v1/operations',
  '/v1/image-models',
  '/v1/verify',
]);

const erasing = /^\/v1\/(?:uploads|renders|jobs|products)\/\{public_id\}$/;
const ofPerson = '/v1/data-subjects/{name}';
const erasingRule = 'PATCH /v1/retention';

/** The capability that an operation requires; undefined: a valid key is enough. */
export function capabilityFor([method, path]: Operation): Capability | undefined {
  if (open.has(path)) return undefined;
  if (path === ofPerson || (method === 'DELETE' && erasing.test(path))) return 'data:erase';
  if (`${method} ${path}` === erasingRule) return 'data:erase';
  // The check only reads, although its parameters come in a body.
  if (method === 'GET' || path === '/v1/compatibility/check') return 'jobs:read';
  return 'jobs:create';
}

export type FieldPath = readonly (string | number)[];

/** Every string in a body, with the way to it. */
export function strings(node: unknown, path: FieldPath = []): { path: FieldPath; value: string }[] {
  if (typeof node === 'string') return [{ path, value: node }];
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, child]) =>
    strings(child, [...path, Array.isArray(node) ? Number(name) : name]),
  );
}

/** `['items', 0, 'trial_image']` → `items[0].trial_image`. */
export function nameOf(path: FieldPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
