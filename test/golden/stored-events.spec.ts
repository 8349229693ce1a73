import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as account from '#domain/account/account.js';
import { evolveAsset, initialAsset } from '#domain/asset/asset.js';
import { evolveGrant, initialGrant } from '#domain/grant/grant.js';
import * as job from '#domain/job/job.js';
import * as key from '#domain/key/key.js';
import * as operation from '#domain/operation/operation.js';
import { evolveSpending, initialSpending } from '#capabilities/mcp/spend.js';
import { evolveOperator, initialOperator } from '#capabilities/sign-in/operator.js';
import * as preset from '#domain/preset/preset.js';
import * as product from '#domain/product/product.js';
import * as webhook from '#capabilities/webhooks/webhook.js';
import type { StreamCategory } from '#domain/streams.js';
import {
  currentSchemaVersion,
  decode,
  EventFromTheFuture,
  storedEventTypes,
  UnknownEventType,
} from '#domain/stored-events.js';

interface History {
  category: StreamCategory;
  stream: string;
  events: { type: string; data: Record<string, unknown>; metadata: { schemaVersion: number } }[];
  state: unknown;
}

const folder = join(import.meta.dirname, 'histories');
const histories = readdirSync(folder).map((file) => ({
  file,
  history: JSON.parse(readFileSync(join(folder, file), 'utf8')) as History,
}));

/** The result of each category's fold over a history, as plain JSON. */
const folds: Record<History['category'], (events: never[]) => unknown> = {
  account: (events: never[]) =>
    account.toSnapshot(events.reduce(account.evolveAccount, account.initialAccount) as account.OpenedAccount),
  job: (events: never[]) => events.reduce(job.evolveJob, job.initialJob),
  key: (events: never[]) => events.reduce(key.evolveKey, key.initialKey),
  asset: (events: never[]) => events.reduce(evolveAsset, initialAsset),
  product: (events: never[]) => events.reduce(product.evolveProduct, product.initialProduct),
  preset: (events: never[]) => events.reduce(preset.evolvePreset, preset.initialPreset),
  operation: (events: never[]) => events.reduce(operation.evolveOperation, operation.initialOperation),
  usage: () => null,
  webhook: (events: never[]) => events.reduce(webhook.evolveWebhooks, webhook.initialWebhooks),
  delivery: () => null,
  grant: (events: never[]) => events.reduce(evolveGrant, initialGrant),
  spend: (events: never[]) => Object.fromEntries(events.reduce(evolveSpending, initialSpending)),
  operator: (events: never[]) => events.reduce(evolveOperator, initialOperator),
  action: () => null,
};

describe('events as they were once stored', () => {
  it.each(histories)('still fold to the same state: $file', ({ history }) => {
    // This spec proves that the files have these types.
    const events = history.events.map((recorded) => decode(recorded)) as never[];
    expect(JSON.parse(JSON.stringify(folds[history.category](events)))).toEqual(history.state);
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
