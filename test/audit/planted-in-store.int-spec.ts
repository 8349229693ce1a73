import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.js';
import { AuditedStore } from './support/audited-store.js';
import { planted, story } from './support/planted.js';
import { at, type Story } from './support/story.js';

let audited: AuditedStore;

beforeAll(async () => {
  audited = await AuditedStore.open();
});

afterAll(() => audited[Symbol.asyncDispose]());

/** No store allows such a change to its log; a defect or someone with database access can make it. */
async function tamper(sql: string): Promise<void> {
  await audited.sql(`begin; set local session_replication_role = replica; ${sql}; commit`);
}

beforeEach(() =>
  tamper('truncate event_store.events, event_store.snapshots; update event_store.head set position = 0'),
);

/** Audits as of a day later, without read models: nothing folds them here. */
async function findingsIn(told: Story) {
  await audited.write(told);
  const time = Date.parse(at(86_400));
  return (await audited.audit({ cut: { time } })).findings;
}

describe('the audit of a store', () => {
  it.each(planted)('finds $rule', async ({ story: told, rule: _, ...finding }) => {
    expect(await findingsIn(told)).toContainEqual(expect.objectContaining(finding));
  });

  it('finds an event that was taken out, and one that was given another id', async () => {
    await audited.write(story().job('acme', 'j').job('acme', 'k'));
    await tamper(`delete from event_store.events where stream = 'live.job-k' and revision = 1`);
    await tamper(`alter table event_store.events drop constraint events_id;
      update event_store.events set id = (select id from event_store.events where position = 1) where position = 2`);
    const { findings } = await audited.audit({ cut: { time: Date.parse(at(86_400)) } });
    await tamper(`truncate event_store.events;
      alter table event_store.events add constraint events_id unique (id)`);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'revisions',
        stream: 'live.job-k',
        revision: 2,
        expected: 1,
        found: 2,
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'event-ids', stream: 'live.account-acme', revision: 1 }),
    );
  });

  it('is an exit code of 1, with the stream, the revision and the two values', async () => {
    await audited.write(story().failedJob('acme', 'j').refund('acme', 'j'));
    const env = {
      DATABASE_URL: audited.fixture.url,
      URL_SIGNING_SECRET: 'x',
      ATELIER_SIGNING_KEY: testSigningKey,
    };
    const args = ['ledger', 'audit', '--at', '1000000'];
    const { code, stdout } = await runCommand(args, process.cwd(), { env });
    expect(code).toBe(1);
    expect(stdout).toContain(
      'live.account-acme revision 4: charge r-j is refunded, and was not open (must be open, is refunded at revision 3)',
    );
  });
});
