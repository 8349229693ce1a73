import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '#platform/logger.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { accepts, Receiver, type Behaviour } from '../../../test/support/receiver.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { goneForMs, type SeenReason } from './alert.js';
import { complaintsAboutAlerts, readAlertLevel } from './alert-level.js';
import { Alerting } from './alerting.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const installation = 'https://atelier.example';
const afterMs = 120_000;
const minute = 60_000;
const halted: SeenReason = { what: 'halted', env: 'live', detail: 'jobs is halted: a gap' };
const fails: Behaviour = (response) =>
  void response.writeHead(503, { 'retry-after': '90' }).end('secret words');
const { signal } = new AbortController();

let database: TestDatabase;
let client: pg.Client;
let receiver: Receiver;
let paths = 0;
let path: string;
let now: Date;
let reasons: readonly SeenReason[] | Error;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateReadStore(database.url, []);
  client = new pg.Client(database.url);
  await client.connect();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await client.end();
  await database.drop();
});
beforeEach(async () => {
  await client.query('truncate read_store.alerts, read_store.alert_messages');
  path = `/hooks/${paths++}`;
  now = new Date();
  reasons = [];
});

const alertingOn = (urls: readonly string[]) =>
  new Alerting({
    look: () => (reasons instanceof Error ? Promise.reject(reasons) : Promise.resolve(reasons)),
    settings: { secretUrls: urls, secret, afterMs },
    installation,
    clock: () => now,
    logger: createLogger('test', 'silent'),
  });

/** Looks at once, after `ms`. A new object each time: what it knows is in the database alone. */
async function round(ms: number, urls = [receiver.at(path, accepts)]): Promise<void> {
  now = new Date(now.getTime() + ms);
  await alertingOn(urls).round(client, signal);
}

const bodies = (of = path) => receiver.to(of).map(({ body }) => JSON.parse(body));
const types = (of = path) => bodies(of).map(({ type }) => type);
const level = () => readAlertLevel(client);

describe('alerts', () => {
  it('are signed as Standard Webhooks has it, and say what, where and since when', async () => {
    reasons = [halted, { ...halted, detail: 'ledger is halted: another' }];
    const since = now;
    await round(0);
    await round(afterMs);
    const [message] = receiver.to(path);
    const { headers, body } = message!;
    const signed = new Webhook(secret).sign(headers['webhook-id'] as string, now, body);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': signed,
    });
    expect(bodies()).toEqual([
      {
        type: 'alert.firing',
        timestamp: now.toISOString(),
        text: `${installation}: live: jobs is halted: a gap; ledger is halted: another`,
        installation,
        data: {
          alert: 'live.halted',
          what: 'halted',
          environment: 'live',
          details: ['jobs is halted: a gap', 'ledger is halted: another'],
          since: since.toISOString(),
          reminder: false,
        },
      },
    ]);
    expect((await level()).told).toEqual([{ env: 'live', what: 'halted', since, told_at: now }]);
  });

  it('are told once, and over once, however often their reason comes and goes', async () => {
    for (let times = 0; times < 5; times++) {
      reasons = [halted];
      await round(minute);
      reasons = [];
      await round(minute);
    }
    expect(types()).toEqual([]);
    reasons = [halted];
    await round(0);
    await round(afterMs);
    for (let times = 0; times < 5; times++) {
      reasons = [];
      await round(goneForMs - minute);
      reasons = [halted];
      await round(minute);
    }
    expect(types()).toEqual(['alert.firing']);
    reasons = [];
    await round(minute);
    await round(goneForMs);
    await round(goneForMs);
    expect(types()).toEqual(['alert.firing', 'alert.resolved']);
    expect(await level()).toEqual({ told: [], undelivered: [] });
  });

  it('tell that Now cannot be read, and keep the others as they are', async () => {
    reasons = [halted];
    await round(0);
    await round(afterMs);
    reasons = new Error('the event store is away');
    await round(goneForMs);
    await round(goneForMs);
    expect(bodies().map(({ data }) => data.alert)).toEqual(['live.halted', 'all.unreadable']);
    expect(bodies()[1].text).toContain('the event store is away');
  });
});

describe('a receiver', () => {
  const firing = async (behaviour: Behaviour) => {
    reasons = [halted];
    const urls = [receiver.at(path, behaviour)];
    await round(0, urls);
    await round(afterMs, urls);
    return urls;
  };

  it('that fails is called again after a pause, with the same id and body', async () => {
    const urls = await firing(fails);
    await round(89_000, urls);
    expect(receiver.to(path)).toHaveLength(1);
    await round(12_000);
    const [first, second] = receiver.to(path);
    expect(second).toMatchObject({ body: first!.body });
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    await round(minute);
    expect(receiver.to(path)).toHaveLength(2);
  });

  it('that was away learns the newest state of an alert only', async () => {
    const urls = await firing(fails);
    reasons = [];
    await round(goneForMs, urls);
    await round(goneForMs, urls);
    // The newer message begins anew, and at once.
    const { rows } = await client.query(
      `select attempts, body::json ->> 'type' as type from read_store.alert_messages`,
    );
    expect(rows).toEqual([{ attempts: 1, type: 'alert.resolved' }]);
    await round(60 * minute);
    expect(types().at(-1)).toBe('alert.resolved');
    expect(new Set(types().slice(0, -1))).toEqual(new Set(['alert.firing', 'alert.resolved']));
    expect(await level()).toEqual({ told: [], undelivered: [] });
  });

  it.each<[string, Behaviour, string]>([
    ['fails', fails, 'it answered 503'],
    ['cuts the connection', (response) => void response.socket?.destroy(), 'ECONNRESET'],
    [
      'redirects',
      (response) => void response.writeHead(307, { location: receiver.at('/elsewhere') }).end(),
      'it answered 307',
    ],
  ])('that %s is named in Now, without what it said', async (_what, behaviour, error) => {
    await firing(behaviour);
    const { undelivered } = await level();
    const host = new URL(receiver.at('/')).host;
    expect(undelivered).toMatchObject([{ host, messages: 1, error }]);
    expect(complaintsAboutAlerts({ told: [], undelivered })).toEqual([]);
    const late = undelivered.map((each) => ({ ...each, oldest_seconds: 301 }));
    expect(complaintsAboutAlerts({ told: [], undelivered: late })).toEqual([
      `${host} does not take 1 alert, the first for 301 s: ${error}`,
    ]);
    expect(receiver.to('/elsewhere')).toEqual([]);
  });

  it('that fails keeps no other one waiting', async () => {
    reasons = [halted, { ...halted, env: 'test' }];
    const urls = [receiver.at(path, fails), receiver.at(`${path}/other`, accepts)];
    await round(0, urls);
    await round(afterMs, urls);
    expect(types()).toHaveLength(1);
    expect(types(`${path}/other`)).toEqual(['alert.firing', 'alert.firing']);
  });

  it('that is taken out of the settings gets nothing more', async () => {
    await firing(fails);
    await round(60 * minute, [receiver.at(`${path}/new`, accepts)]);
    expect(receiver.to(path)).toHaveLength(1);
    expect(await level()).toMatchObject({ undelivered: [] });
    const { rows } = await client.query('select from read_store.alert_messages');
    expect(rows).toEqual([]);
  });

  it('whose call was cut by the end of this process has not failed, and gets the same message again', async () => {
    const ended = new AbortController();
    reasons = [halted];
    await round(0);
    now = new Date(now.getTime() + afterMs);
    const urls = [receiver.at(path, () => ended.abort())];
    await alertingOn(urls).round(client, ended.signal);
    expect((await level()).undelivered).toEqual([]);
    await round(0);
    const [first, second] = receiver.to(path);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  });
});

it('keeps no address in the database', async () => {
  reasons = [halted];
  const urls = [receiver.at(`${path}/token-in-the-path`, fails)];
  await round(0, urls);
  await round(afterMs, urls);
  const { rows } = await client.query(
    'select row_to_json(message)::text as row from read_store.alert_messages message',
  );
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('token');
});
