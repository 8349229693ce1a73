import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateApiKey, hashApiKey } from '#application/key/api-key.js';
import { generateOperatorToken, hashOperatorToken } from '#capabilities/sign-in/operator-token.js';
import { authenticateOperator } from '#capabilities/sign-in/manage-operators.handler.js';
import { streamName } from '#domain/streams.js';
import { UnprovenEvent, type EventStore } from '#event-store/event-store.js';
import { openEventStore, type OpenedEventStore } from '#event-store/open-event-store.js';
import { newId } from '#platform/ids.js';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import { expectError, type ApiClient } from '../api/support/api-client.js';
import { eventually } from '../support/eventually.js';
import { sealAll } from '#capabilities/seals/test/support/sealing.js';

// The attacker has the password of the database, but not the signing key.

let service: ApiService;
let api: ApiClient;
let victim: Tenant;
let other: Tenant;
/** The store's own functions, as that person calls them. */
let attacker: OpenedEventStore;
let database: pg.Pool;

beforeEach(async () => {
  service = await ApiService.start();
  api = await service.openApi();
  victim = await service.openTenant({ credits: 100 });
  other = await service.openTenant({ credits: 100 });
  const { databaseUrl } = service;
  attacker = await openEventStore({ eventStoreUrl: databaseUrl, databaseUrl });
  database = new pg.Pool({ connectionString: databaseUrl, max: 1 });
});
afterEach(async () => {
  await attacker.close();
  await database.end();
  await service[Symbol.asyncDispose]();
});

const at = new Date().toISOString();

/** Appends an event to the end of a stream. Everything in it is right except its proof. */
async function forge(stream: string, type: string, data: object, tenant = victim.id): Promise<string> {
  const [last] = await lastOf(attacker.store, stream);
  const id = randomUUID();
  const requestId = newId();
  const metadata = {
    requestId,
    causationId: requestId,
    tenant,
    actor: 'operator',
    schemaVersion: 1,
    recordedAt: at,
    ...(last && { mac: (last.metadata as { mac?: string }).mac }),
  };
  const appended = await attacker.store.append(stream, last?.revision ?? 'no-stream', [
    { id, type, data, metadata },
  ]);
  expect(appended.outcome).toBe('appended');
  return id;
}

async function lastOf(store: EventStore, stream: string) {
  const slice = await store.readStream(stream, { direction: 'backwards', limit: 1 });
  return slice.kind === 'found' ? slice.events : [];
}

const balanceOf = async ({ key }: Tenant) => (await api.get('/v1/credits', key)).body.balance as number;
const dispatch = ({ key }: Tenant, workflow = 'background-generator') =>
  api.post(`/v1/${workflow}`, key, { scene_type: 'studio' });

/** The other tenant notices nothing. */
async function otherIsWell(): Promise<void> {
  const before = await balanceOf(other);
  expect((await dispatch(other)).status).toBe(202);
  expect(await balanceOf(other)).toBe(before - 5);
}

describe('an event that a database administrator forges', () => {
  it('buys nothing: the account answers with an error instead of a million', async () => {
    const stream = streamName('live', 'account', victim.id);
    const purchase = { amount: 1_000_000, kind: 'pack', label: 'Pack', purchaseId: newId(), at };
    await forge(stream, 'CreditsPurchased', purchase);
    expectError(await api.get('/v1/credits', victim.key), 503, 'SERVICE_UNAVAILABLE');
    const refused = await dispatch(victim);
    expectError(refused, 503, 'SERVICE_UNAVAILABLE');
    expect(refused.body.error.message).toContain('an event that this service did not write');
    await otherIsWell();
    // Neither do the read models show it.
    const { rows } = await database.query(
      `select stream from read_store.parked_events where error is not null`,
    );
    await eventually(async () => {
      const parked = await database.query(
        `select distinct stream from read_store.parked_events where error like '%did not write%'`,
      );
      return parked.rows.length > 0;
    });
    expect(rows.every((row) => (row as { stream: string }).stream === stream)).toBe(true);
    const { body } = await api.get('/v1/transactions', victim.key);
    expect(JSON.stringify(body)).not.toContain('1000000');
  });

  it('makes nothing cheap: what it prices cannot be dispatched, and all else can', async () => {
    const price = { credits: 1, reason: 'a present', at };
    await forge(
      streamName('live', 'operation', 'background-generator'),
      'OperationPriced',
      price,
      'installation',
    );
    expectError(await dispatch(victim), 503, 'SERVICE_UNAVAILABLE');
    expect(await balanceOf(victim)).toBe(100);
    const { body } = await api.get('/v1/operations', victim.key);
    const listed = body.operations as { name: string; enabled: boolean; credits_cost: number }[];
    expect(listed.filter(({ enabled }) => !enabled)).toMatchObject([
      { name: 'background-generator', credits_cost: 5 },
    ]);
    const scan = await api.post('/v1/swap-background?dry_run=true', victim.key, {});
    expect(scan.status).not.toBe(503);
  });

  it('opens no door: a key that it issues for another tenant is not let in, nor called unknown', async () => {
    const { key, keyId } = generateApiKey('live');
    const issued = {
      keyId,
      tenant: victim.id,
      environment: 'live',
      capabilities: ['jobs:create', 'jobs:read'],
      label: 'forged',
      secretHash: hashApiKey(key),
      at,
    };
    await forge(streamName('live', 'key', keyId), 'ApiKeyIssued', issued);
    expectError(await api.get('/v1/credits', key), 503, 'SERVICE_UNAVAILABLE');
    expect(await balanceOf(victim)).toBe(100);
  });

  it('makes nobody an operator', async () => {
    const token = generateOperatorToken('mallory');
    const added = {
      name: 'mallory',
      role: 'admin',
      tokenHash: hashOperatorToken(token),
      expiresAt: '2999-01-01T00:00:00Z',
      at,
    };
    await forge(streamName('live', 'operator', 'mallory'), 'OperatorAdded', added, 'installation');
    await expect(authenticateOperator(service.store, token, new Date())).rejects.toThrow(UnprovenEvent);
  });

  it('is not believed in the place of one that it was copied from', async () => {
    const stream = streamName('live', 'account', victim.id);
    await database.query(`alter table event_store.events disable trigger append_only`);
    await database.query(
      `update event_store.events set data = replace(data::text, '"amount":100', '"amount":900')::json where stream = $1`,
      [stream],
    );
    const again = await service.openApi();
    expectError(await again.get('/v1/credits', victim.key), 503, 'SERVICE_UNAVAILABLE');
  });

  it('is not sealed: the sealer stops with its name, before it and for all that follows', async () => {
    await sealAll(service.store);
    const id = await forge(streamName('live', 'account', victim.id), 'CreditsPurchased', { amount: 1, at });
    await dispatch(other);
    await expect(sealAll(service.store)).rejects.toThrow(
      new RegExp(
        `CreditsPurchased at revision \\d+ \\(${id}\\) carries a MAC that does not fit it, so neither it nor any later event is sealed`,
      ),
    );
  });
});

describe('a trigger that changes what is inserted', () => {
  it('is found by who reads next: nothing that it wrote is folded, sealed or believed', async () => {
    await database.query(`
      create function public.cheapen() returns trigger language plpgsql as $$ begin
        if new.type = 'CreditsDebited' then
          new.data := (new.data::jsonb || '{"amount": 0}')::json;
        end if;
        return new;
      end $$;
      create trigger cheapen before insert on event_store.events for each row execute function public.cheapen()`);
    const dispatched = await dispatch(victim);
    // This process answers from the decision in its memory, whatever the database has made of it.
    expect(dispatched.status).toBe(202);
    const again = await service.openApi();
    expectError(await again.get('/v1/credits', victim.key), 503, 'SERVICE_UNAVAILABLE');
    await expect(sealAll(service.store)).rejects.toThrow(
      /CreditsDebited at revision \d+ .* carries a MAC that does not fit/,
    );
  });
});
