import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.js';
import { accepts, Receiver } from '../../../test/support/receiver.js';
import { startRole, type RoleProcess } from '../../../test/support/role-process.js';
import { testMasterKey, testSigningKey } from '../../../test/support/signing-key.js';
import { Workshop } from '../../../test/worker/support/workshop.js';
import { channelsOf } from './channel.js';

// No role of this installation runs: that is what the alerts are about.
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let workshop: Workshop;
let receiver: Receiver;
let client: pg.Client;
const servers: RoleProcess[] = [];

beforeEach(async () => {
  workshop = await Workshop.open();
  receiver = await Receiver.start();
  client = new pg.Client(workshop.databaseUrl);
  await client.connect();
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop('SIGKILL');
  await client.end();
  await receiver[Symbol.asyncDispose]();
  await workshop[Symbol.asyncDispose]();
});

async function start(url: string): Promise<RoleProcess> {
  const server = await startRole('capabilities/operate/server/main.js', {
    DATABASE_URL: workshop.databaseUrl,
    ATELIER_HOME: workshop.folder,
    URL_SIGNING_SECRET: 'for tests only',
    ATELIER_SIGNING_KEY: testSigningKey,
    ATELIER_MASTER_KEY: testMasterKey,
    ATELIER_ADMIN_PORT: '0',
    ATELIER_ALERT_URLS: url,
    ATELIER_ALERT_SECRET: secret,
    ATELIER_ALERT_AFTER_MS: '0',
  });
  servers.push(server);
  return server;
}

const waiting = async () => (await client.query('select from read_store.alert_messages')).rows.length;
const told = async () =>
  (await client.query('select from read_store.alerts where told_at is not null')).rows.length;

describe('the operators’ API', () => {
  it('tells an alert under the same id when it is killed in the middle, and never again once it has arrived', async () => {
    const first = await start(receiver.at('/', () => undefined));
    await eventually(() => receiver.received.length > 0);
    await first.stop('SIGKILL');
    const [cut] = receiver.received;

    const second = await start(receiver.at('/', accepts));
    await eventually(async () => (await told()) > 0 && (await waiting()) === 0);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.filter((id) => id === cut!.headers['webhook-id'])).toHaveLength(2);
    expect(JSON.parse(cut!.body)).toMatchObject({ type: 'alert.firing', data: { what: 'processes' } });

    await second.stop('SIGKILL');
    const before = receiver.received.length;
    await client.query(
      `insert into read_store.alert_messages (channel, host, alert, message_id, body, created_at, next_attempt_at)
        values ($1, '', 'live.last', 'the last', '{}', now(), now())`,
      [channelsOf({ secretUrls: [receiver.at('/')] })[0]!.id],
    );
    await start(receiver.at('/', accepts));
    // It is sent at the end of the first round, after all that is told in it.
    await eventually(() => receiver.received.at(-1)?.headers['webhook-id'] === 'the last');
    expect(receiver.received).toHaveLength(before + 1);
  });

  it('alerts in one process at a time', async () => {
    await start(receiver.at('/', accepts));
    await eventually(async () => (await told()) > 0 && (await waiting()) === 0);
    await start(receiver.at('/', accepts));
    await eventually(async () => {
      const { rows } = await client.query(
        `select from pg_stat_activity where application_name = 'atelier.alerts'`,
      );
      return rows.length === 2;
    });
    await servers[1]!.stop('SIGTERM');
    const alerts = receiver.received.map(({ body }) => JSON.parse(body).data.alert);
    expect(alerts).toEqual([...new Set(alerts)]);
  });
});
