import { describe, expect, it } from 'vitest';
import { installed, type Installed } from '#capabilities/installed.js';
import * as account from '#domain/account/account.js';
import { evolveAsset, initialAsset } from '#domain/asset/asset.js';
import { evolveGrant, initialGrant } from '#domain/grant/grant.js';
import * as job from '#domain/job/job.js';
import * as key from '#domain/key/key.js';
import * as operation from '#domain/operation/operation.js';
import * as preset from '#domain/preset/preset.js';
import * as product from '#domain/product/product.js';
import type { DomainEvent } from '#domain/events.js';
import type { StreamCategory } from '#domain/streams.js';
import {
  currentSchemaVersion,
  decode,
  EventFromTheFuture,
  storedEventTypes,
  UnknownEventType,
} from '#domain/stored-events.js';
import { goldenHistories as histories } from './golden-histories.js';

type OfKernel = Exclude<StreamCategory, Installed['events'][number]['category']>;

/** The result of the kernel's folds over a history. */
const folds: Record<OfKernel, (events: never[]) => unknown> = {
  account: (events: never[]) =>
    account.toSnapshot(events.reduce(account.evolveAccount, account.initialAccount) as account.OpenedAccount),
  job: (events: never[]) => events.reduce(job.evolveJob, job.initialJob),
  key: (events: never[]) => events.reduce(key.evolveKey, key.initialKey),
  asset: (events: never[]) => events.reduce(evolveAsset, initialAsset),
  product: (events: never[]) => events.reduce(product.evolveProduct, product.initialProduct),
  preset: (events: never[]) => events.reduce(preset.evolvePreset, preset.initialPreset),
  operation: (events: never[]) => events.reduce(operation.evolveOperation, operation.initialOperation),
  usage: () => null,
  grant: (events: never[]) => events.reduce(evolveGrant, initialGrant),
  action: () => null,
  notice: () => null,
};

const foldsOfCapabilities = Object.assign(
  {},
  ...installed.map(({ folds: declared }) => declared),
) as NonNullable<(typeof installed)[number]['folds']>;

/** The state after a history, by the fold that its capability declares. A list of facts has no state. */
async function stateOf(category: StreamCategory, events: readonly DomainEvent[]): Promise<unknown> {
  // This spec proves that the files have these types.
  if (Object.hasOwn(folds, category)) return folds[category as OfKernel](events as never[]);
  const load = foldsOfCapabilities[category];
  if (!load) return null;
  const replayed = (await load())();
  for (const event of events) replayed.apply(event);
  return replayed.detail();
}

/** The members of a state. A replayed fold shows a list by the places of its items. */
const plain = (state: unknown): unknown => {
  const json: unknown = JSON.parse(JSON.stringify(state));
  return Array.isArray(json) ? { ...json } : json;
};

describe('events as they were once stored', () => {
  it.each(histories)('still fold to the same state: $file', async ({ history }) => {
    const events = history.events.map((recorded) => decode(recorded));
    expect(plain(await stateOf(history.category, events))).toEqual(plain(history.state));
  });

  it('are kept here in every version of every type', () => {
    const kept = new Set(
      histories.flatMap(({ history }) =>
        history.events.map(({ type, metadata }) => `${type}@${metadata.schemaVersion}`),
      ),
    );
    const owed = storedEventTypes.flatMap((type) =>
      Array.from({ length: currentSchemaVersion(type) }, (_, index) => `${type}@${index + 1}`),
    );
    expect(owed.filter((each) => !kept.has(each))).toEqual([]);
  });

  it('are refused when their type or version is not known to this release', () => {
    expect(() => decode({ type: 'Nonsense', data: {}, metadata: { schemaVersion: 1 } })).toThrow(
      UnknownEventType,
    );
    expect(() => decode({ type: 'toString', data: {}, metadata: { schemaVersion: 1 } })).toThrow(
      UnknownEventType,
    );
    const future = {
      type: 'JobQueued',
      data: {},
      metadata: { schemaVersion: currentSchemaVersion('JobQueued') + 1 },
    };
    expect(() => decode(future)).toThrow(EventFromTheFuture);
  });
});
