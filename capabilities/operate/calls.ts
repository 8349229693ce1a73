import { nouns } from '#capabilities/parts.js';
import { isCall, type AnyCall } from '#operator-calls/call.js';

const loads = new Map(
  Object.values(nouns)
    .flat()
    .flatMap(({ calls }) => Object.entries(calls)),
);

/** Everything that can be asked of the API, with the place of its declaration. */
export const declaredCalls = await Promise.all(
  [...loads].map(async ([file, load]) => {
    const exported: readonly [string, unknown][] = Object.entries(await load());
    return exported.flatMap(([name, call]) => (isCall(call) && !call.local ? [{ file, name, call }] : []));
  }),
).then((each) => each.flat());

export const calls: readonly AnyCall[] = declaredCalls.map(({ call }) => call);

/** What all of them need. */
export const features = [...new Set(calls.flatMap(({ features: own = [] }) => own))];
