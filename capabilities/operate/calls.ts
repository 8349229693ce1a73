import { nouns } from '#capabilities/parts.js';
import { isCall, type AnyCall } from '#operator-calls/call.js';

const loads = Object.values(nouns).flatMap((parts) => parts.flatMap(({ calls }) => calls));
/** Each file once, even if it declares calls of several nouns. */
const files = new Set(await Promise.all(loads.map((load) => load())));

/** All calls that the API offers, each with the name of its export. */
export const declaredCalls = [...files].flatMap((exported: object) =>
  Object.entries(exported).flatMap(([name, call]: [string, unknown]) =>
    isCall(call) && !call.local ? [{ name, call }] : [],
  ),
);

export const calls: readonly AnyCall[] = declaredCalls.map(({ call }) => call);

/** The features that the calls need together. */
export const features = [...new Set(calls.flatMap(({ features: own = [] }) => own))];
