import { afterAll } from 'vitest';

/** Keeps a thing for the specs of this file, and disposes of it after the last one. */
export function untilEnd<Thing extends AsyncDisposable>(thing: Thing): Thing {
  afterAll(() => thing[Symbol.asyncDispose]());
  return thing;
}
