import fc from 'fast-check';

const pick = <const T>(...values: T[]) => fc.constantFrom(...values);
const kind = <const K extends string>(name: K) => fc.constant(name);
const api = pick('api-1', 'api-2');
const tenant = pick('acme', 'zenith');
const nth = fc.nat({ max: 5 });
const workflow = pick('extract', 'background-generator', 'pdp-extractions');

export const person = pick('ann', 'ben');
/** `retain_days`. */
export const retainDays = fc.option(fc.constant(1), { freq: 2 });

const terms = {
  workflow: fc.option(workflow, { freq: 1 }),
  inMs: fc.option(pick(3_000, 400_000, 90_000_000), { freq: 2 }),
};

const upload = fc.record({
  kind: kind('upload'),
  api,
  tenant,
  person: fc.option(person, { freq: 2 }),
  retainDays,
});
const erase = fc.record({
  kind: kind('erase'),
  api,
  tenant,
  what: pick('upload', 'upload', 'job', 'job', 'product', 'ann', 'ben'),
  nth,
  derived: fc.boolean(),
});
const hold = fc.record({ kind: kind('hold'), api, tenant, on: pick('job', 'job', 'ann', 'ben'), nth });
const withdraw = fc.record({ kind: kind('withdraw'), api, tenant, nth });

const asked = fc.oneof(
  { weight: 4, arbitrary: upload },
  { weight: 1, arbitrary: fc.record({ kind: kind('product'), api, tenant, nth, person: fc.option(person) }) },
  { weight: 5, arbitrary: erase },
  { weight: 1, arbitrary: hold },
  { weight: 1, arbitrary: fc.record({ kind: kind('lift'), api, tenant, nth }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('grant'), api, tenant, person, ...terms }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('revise'), api, tenant, nth, ...terms }) },
  { weight: 1, arbitrary: withdraw },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('require'), api, tenant, required: pick(true, true, false) }),
  },
);

/** What callers and operators ask about persons and their pictures. */
export type PrivacyAction = typeof asked extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** With the housekeeping of a projector, which erases what is due. */
export const privacyActions = [
  { weight: 14, arbitrary: asked },
  { weight: 2, arbitrary: fc.record({ kind: kind('tend'), projector: pick('projector-1', 'projector-2') }) },
] as const;
