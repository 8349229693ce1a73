import { nouns } from '#capabilities/parts.js';
import { isCall, type AnyCall } from '#operator-calls/call.js';

const loads = new Map(
  Object.values(nouns)
    .flat()
    .flatMap(({ calls }) => Object.entries(calls)),
);

/** All calls that the API offers, each with the file that declares it. */
export const declaredCalls = await Promise.all(
  [...loads].map(async ([file, load]) => {
    const exported: readonly [string, unknown][] = Object.entries(await load());
    return exported.flatMap(([name, call]) => (isCall(call) && !call.local ? [{ file, name, call }] : []));
  }),
).then((each) => each.flat());

export const calls: readonly AnyCall[] = declaredCalls.map(({ call }) => call);

/** The features that the calls need together. */
export const features = [...new Set(calls.flatMap(({ features: own = [] }) => own))];
