import { afterAll, describe, expect, it } from 'vitest';
import { newEvent } from '../event-store/harness.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { UnprovenEvent } from '#event-store/event-store.js';
import { testProof } from '../support/signing-key.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { run } from '../standalone/support/atelier.js';
import { temporaryHome } from '../standalone/support/home.js';
import { settingsOn, verbsOn } from './support/verbs.js';
import { untilEnd } from '../support/until-end.js';

// A log of an earlier release, whose events do not prove their writer.

const fixture = await ReadStoreFixture.create();
afterAll(() => fixture.dispose());
const home = untilEnd(temporaryHome());
const older = untilEnd(await openEventStore({ eventStoreUrl: fixture.url, databaseUrl: fixture.url }));
const stream = 'live.account-acme';
await older.store.append(stream, 'no-stream', [newEvent(), newEvent(), newEvent()]);

const verbs = verbsOn({ databaseUrl: fixture.url, folder: home.path });
const adopt = (...args: string[]) => verbs.run(['events', 'adopt', ...args]);

async function readByService(): Promise<number> {
  const urls = { eventStoreUrl: fixture.url, databaseUrl: fixture.url };
  await using opened = await openEventStore(urls, { proof: testProof });
  const slice = await opened.store.readStream(stream);
  return slice.kind === 'found' ? slice.events.length : 0;
}

describe('a role', () => {
  it.each(['api', 'worker', 'projector'])(
    '%s does not start without the key, and says what to do',
    async (role) => {
      const env = { ...settingsOn(fixture.url), ATELIER_SIGNING_KEY: '', PORT: '0' };
      const { code, stdout } = await run(`apps/${role}/src/main.js`, [], home.path, { env });
      expect({ code, told: stdout.includes('Make it once with \\"openssl rand -hex 24\\"') }).toEqual({
        code: 1,
        told: true,
      });
    },
  );

  it('does not start on a log of a release before, until that is accepted', async () => {
    const env = settingsOn(fixture.url);
    const { code, stdout } = await run('apps/projector/src/main.js', [], home.path, { env });
    expect(code).toBe(1);
    expect(stdout).toContain('begins with events without proof of their writer');
    expect(stdout).toContain('ATELIER_UNPROVEN_EVENTS=accept');
  });
});

describe('atelier events adopt', () => {
  it('asks the operator to answer for the number of events, and names them', async () => {
    await expect(readByService()).rejects.toThrow(UnprovenEvent);
    for (const args of [[], ['--accept', '2']]) {
      const { code, stderr } = await adopt(...args);
      expect(code).toBe(1);
      expect(stderr).toContain('3 events carry no proof of their writer');
      expect(stderr).toContain(`ConformanceChecked at revision 0 of ${stream} (position 1)`);
      expect(stderr).toContain('run the command again with --accept 3');
    }
    await expect(readByService()).rejects.toThrow(UnprovenEvent);
  });

  it('lets them count, and none that comes after', async () => {
    const { code, stdout } = await adopt('--accept', '3', '--json');
    expect({ code, told: JSON.parse(stdout) }).toEqual({
      code: 0,
      told: { adopted: true, through: '3', unproven: 3, earlier_keys: 0 },
    });
    expect(await readByService()).toBe(3);
    expect((await adopt()).stdout).toContain('Nothing to adopt');
    await older.store.append(stream, 2n, [newEvent()]);
    await expect(readByService()).rejects.toThrow('at revision 3');
    expect((await adopt()).stderr).toContain('1 events carry no proof');
  });

  it('adopts nothing that was altered', async () => {
    await fixture.rows('alter table event_store.events disable trigger append_only');
    await fixture.rows(
      `update event_store.events set metadata = (metadata::jsonb || '{"mac": "forged"}')::json where revision = 3`,
    );
    const { code, stderr } = await adopt('--accept', '1');
    expect(code).toBe(1);
    expect(stderr).toContain('1 events were altered after they were written: ');
  });
});

describe('doctor', () => {
  it('complains as long as events without proof count anywhere', async () => {
    const { stdout } = await verbs.run(['doctor', '--json'], { ATELIER_UNPROVEN_EVENTS: 'accept' });
    const { checks } = JSON.parse(stdout) as {
      checks: { name: string; ok: boolean; advice: string | null }[];
    };
    expect(checks.find(({ name }) => name === 'writers')).toMatchObject({
      ok: false,
      advice: expect.stringContaining('atelier events adopt'),
    });
  });
});
