import fc from 'fast-check';
import {
  batchParents,
  chargeCloser,
  renderDispatcher,
} from '#application/process-managers/process-managers.js';
import { fates, type Fate } from './services/engine.js';
import { person, privacyActions, retainDays } from './privacy-actions.js';
import { networkFaults } from './store/network.js';

export const tenants = ['acme', 'zenith'] as const;
const replicaNames = ['api-1', 'api-2', 'worker-1', 'worker-2', 'projector-1', 'projector-2'] as const;
/** One operation reads a picture, one does not, and one is the batch with its children. */
const operations = ['extract', 'background-generator', 'pdp-batch-extractions'] as const;

export type Tenant = (typeof tenants)[number];
export type ReplicaName = (typeof replicaNames)[number];
export type Operation = (typeof operations)[number];

const pick = <const T>(...values: T[]) => fc.constantFrom(...values);
const api = pick('api-1', 'api-2');
const tenant = pick(...tenants);
const operation = pick(...operations);
const replica = pick(...replicaNames);
const nth = fc.nat({ max: 9 });
const kind = <const K extends string>(name: K) => fc.constant(name);

const prices = pick<{ credits: number | null; inMs: number | null }>(
  ...[1, 2, 7, 15].map((credits) => ({ credits, inMs: null })),
  ...[1_000, 3_000, 60_000].flatMap((inMs) => [4, 9, null].map((credits) => ({ credits, inMs }))),
);
const fatesOfOne = fc.oneof(
  { weight: 3, arbitrary: fc.array(pick(...fates), { maxLength: 3 }) },
  // The same fate again and again uses up a job's attempts.
  { weight: 1, arbitrary: pick(...fates).map((fate): Fate[] => [fate, fate, fate, fate]) },
);
const dispatch = fc.record({
  kind: kind('dispatch'),
  api,
  tenant,
  operation,
  // For a batch: one entry for each photograph.
  fates: fc.array(fatesOfOne, { minLength: 1, maxLength: 3 }),
  // An Idempotency-Key, now and then one that was used before.
  key: fc.option(pick('k1', 'k2', 'k3'), { freq: 2 }),
  // One of the tenant's pictures, the newest first. Null: the one that is there from the start.
  picture: fc.option(fc.nat({ max: 5 }), { freq: 1 }),
  person: fc.option(person, { freq: 1 }),
  retainDays,
});

/** Events from outside that happen to the installation. */
const action = fc.oneof(
  { weight: 18, arbitrary: dispatch },
  ...privacyActions,
  // Repeats an earlier dispatch that had a key, with the same body and key.
  { weight: 5, arbitrary: fc.record({ kind: kind('retry'), api, nth }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: kind('cancel'), api, nth, foreign: pick(false, false, false, true) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind('purchase'), api, tenant, credits: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: pick('suspend', 'reactivate'), api, tenant }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('cap'), api, tenant, credits: pick(0, 10, 20) }) },
  // A price from now on, or for a second to come. Without credits, the price that was scheduled for that second
  // is withdrawn.
  {
    weight: 2,
    arbitrary: fc
      .record({ kind: kind('price'), api, operation, price: prices })
      .map(({ price, ...rest }) => ({ ...rest, ...price })),
  },
  { weight: 1, arbitrary: fc.record({ kind: pick('enable', 'disable'), api, operation }) },
  { weight: 5, arbitrary: fc.record({ kind: kind('sweep'), projector: pick('projector-1', 'projector-2') }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('crash'), replica, restarts: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('start'), replica }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('pause'), replica }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('resume'), replica }) },
  { weight: 7, arbitrary: fc.record({ kind: kind('fault'), replica, fault: pick(...networkFaults) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('advance'),
      ms: pick<number>(50, 3_000, 12_000, 31_000, 61_000, 400_000, 90_000_000),
    }),
  },
  // Sets the checkpoint of a process manager back: to the beginning, or by this many positions.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('rewind'),
      process: pick(renderDispatcher, chargeCloser, batchParents),
      by: fc.constantFrom<number | 'all'>('all', 3, 10),
    }),
  },
  // Makes a process manager's checkpoint claim a later position, or name another event.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('alter'),
      process: pick(renderDispatcher, chargeCloser, batchParents),
      what: pick('position', 'position', 'event'),
      by: pick(1, 4, 12),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('look'), projector: pick('projector-1', 'projector-2') }) },
  // An attacker with access to the storage puts other bytes under the key of a tenant's picture, or removes them;
  // or an operator restores them.
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind('alter-picture'), tenant, what: pick('replaced', 'gone', 'put-back') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('lose-tasks'), which: pick('waiting', 'all') }) },
  // The log is restored to a state older by this many events, and everything starts again.
  { weight: 1, arbitrary: fc.record({ kind: kind('restore'), events: pick(1, 3, 8) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('reset') }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('wait') }) },
);

export type Action = typeof action extends fc.Arbitrary<infer Drawn> ? Drawn : never;

export type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

export interface Step {
  readonly action: Action;
  /** Turns that are given after it, before the next action. */
  readonly turns: number;
  /** Seeds who gets them. */
  readonly chance: number;
}

const chance = fc.noShrink(fc.nat());
const turns = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 80 }));
const step: fc.Arbitrary<Step> = fc.record({ action, turns, chance });

/** An API process pauses in the middle of a dispatch for longer than the horizon, while a sweep runs. */
const lateDispatch: fc.Arbitrary<Step[]> = fc
  .tuple(dispatch, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 10, max: 60 }), chance)
  .map(([asked, before, after, seed]) => [
    { action: asked, turns: before, chance: seed },
    { action: { kind: 'pause', replica: asked.api }, turns: after, chance: seed + 1 },
    { action: { kind: 'advance', ms: 61_000 }, turns: 0, chance: seed + 2 },
    { action: { kind: 'sweep', projector: 'projector-1' }, turns: after, chance: seed + 3 },
    { action: { kind: 'resume', replica: asked.api }, turns: after, chance: seed + 4 },
  ]);

/**
 * A process dispatches a workflow before and after a scheduled price takes effect, or after it is withdrawn.
 */
const newPrice: fc.Arbitrary<Step[]> = fc
  .tuple(dispatch, pick(1_000, 3_000), pick(3, 8, null), chance)
  .map(([asked, inMs, credits, seed]): Step[] => {
    const { api, operation } = asked;
    const ordered = { ...asked, key: null };
    const price = { kind: 'price', api, operation, inMs } as const;
    return [
      { action: { ...price, credits: credits ?? 3 }, turns: 60, chance: seed },
      { action: ordered, turns: 40, chance: seed + 1 },
      ...(credits === null ? [{ action: { ...price, credits }, turns: 20, chance: seed }] : []),
      { action: { kind: 'advance', ms: inMs }, turns: 0, chance: seed + 2 },
      { action: ordered, turns: 40, chance: seed + 3 },
    ];
  });

const projector = pick('projector-1', 'projector-2');

/**
 * A person's picture is used and erased, while a projector dies in the middle. Then the log may be restored from before the
 * erasure.
 */
const erasedInUse: fc.Arbitrary<Step[]> = fc
  .tuple(dispatch, projector, fc.integer({ min: 1, max: 120 }), pick(0, 1, 3, 8), chance)
  .map(([asked, replica, before, lost, seed]): Step[] => {
    const { api, tenant } = asked;
    const used = { ...asked, operation: 'extract', key: null, picture: 0, person: null } as const;
    return [
      { action: { kind: 'upload', api, tenant, person: 'ann', retainDays: null }, turns: 30, chance: seed },
      { action: used, turns: 60, chance: seed + 1 },
      {
        action: { kind: 'erase', api, tenant, what: 'upload', nth: 0, derived: true },
        turns: before,
        chance: seed + 2,
      },
      { action: { kind: 'crash', replica, restarts: true }, turns: before, chance: seed + 3 },
      ...(lost === 0
        ? []
        : [{ action: { kind: 'restore', events: lost } as const, turns: 60, chance: seed + 4 }]),
    ];
  });

/** A release ends while the jobs under it wait, because no worker is there. */
const endedWhileWaiting: fc.Arbitrary<Step[]> = fc
  .tuple(dispatch, fc.boolean(), fc.integer({ min: 0, max: 80 }), chance)
  .map(([asked, revised, turns, seed]): Step[] => {
    const { api, tenant } = asked;
    const terms = { workflow: null, inMs: null };
    const used = { ...asked, key: null, person: 'ben' } as const;
    const end = revised
      ? ({ kind: 'revise', api, tenant, nth: 0, workflow: 'extract', inMs: null } as const)
      : ({ kind: 'withdraw', api, tenant, nth: 0 } as const);
    const workers = ['worker-1', 'worker-2'] as const;
    return [
      { action: { kind: 'grant', api, tenant, person: 'ben', ...terms }, turns: 20, chance: seed },
      { action: { kind: 'require', api, tenant, required: true }, turns: 20, chance: seed + 1 },
      ...workers.map((replica) => ({ action: { kind: 'pause', replica } as const, turns: 0, chance: seed })),
      { action: used, turns, chance: seed + 2 },
      { action: end, turns: turns + 20, chance: seed + 3 },
      ...workers.map((replica) => ({
        action: { kind: 'resume', replica } as const,
        turns: 9,
        chance: seed + 4,
      })),
    ];
  });

/** What is kept for a day is a day old, and a hold may be on it. */
const daysAreOver: fc.Arbitrary<Step[]> = fc
  .tuple(dispatch, projector, fc.boolean(), chance)
  .map(([asked, which, isHeld, seed]): Step[] => {
    const { api, tenant } = asked;
    const held = { kind: 'hold', api, tenant, on: 'job', nth: 0 } as const;
    return [
      { action: { kind: 'upload', api, tenant, person: null, retainDays: 1 }, turns: 30, chance: seed },
      { action: { ...asked, key: null, picture: 0, retainDays: 1 }, turns: 90, chance: seed + 1 },
      ...(isHeld ? [{ action: held, turns: 20, chance: seed + 2 }] : []),
      { action: { kind: 'advance', ms: 90_000_000 }, turns: 5, chance: seed + 3 },
      { action: { kind: 'tend', projector: which }, turns: 60, chance: seed + 4 },
    ];
  });

const phrase = fc.oneof(
  { weight: 39, arbitrary: step.map((one) => [one]) },
  { weight: 1, arbitrary: newPrice },
  { weight: 1, arbitrary: erasedInUse },
  { weight: 1, arbitrary: endedWhileWaiting },
  { weight: 1, arbitrary: daysAreOver },
  { weight: 1, arbitrary: lateDispatch },
);

/**
 * A sequence of events in an installation. It shrinks to fewer and simpler steps; the order of turns stays as
 * it was.
 */
export const scenarios: fc.Arbitrary<Step[]> = fc
  .array(phrase, { minLength: 1, maxLength: 60, size: 'max' })
  .map((phrases) => phrases.flat());

export function describeAction(all: Action): string {
  const { kind: name, ...rest } = all;
  const details = Object.entries(rest).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
  return [name, ...details].join(' ');
}
