import { runInContext } from 'node:vm';
// Jest's own default environment, in Jest's own version.
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's Node environment, in which pure names of the language are found at once. A test file's global object is one that
 * every look-up has to ask (an intercepted vm context), which makes a loop over pixels five to ten times slower; a constant
 * of the context's own script scope is found before that object is asked. Only names that no test replaces are listed:
 * `Date` and the timers are not, because fake ones are put in their place.
 */
// oxlint-disable-next-line import/no-default-export -- Jest asks for a default export.
export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    runInContext(
      `const {
        Array, ArrayBuffer, BigInt, Boolean, Map, Math, Number, Object, Set, String, WeakMap,
        Float32Array, Float64Array, Int8Array, Int16Array, Int32Array,
        Uint8Array, Uint8ClampedArray, Uint16Array, Uint32Array,
      } = globalThis;`,
      this.context,
    );
    // Where libraries look for the connections of the built-in `fetch`, which is the same inside and outside.
    const connections = Symbol.for('undici.globalDispatcher.1');
    void new Headers();
    this.global[connections] = globalThis[connections];
  }
}
