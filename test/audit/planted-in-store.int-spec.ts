import { beforeEach, describe, expect, it } from 'vitest';
import { AuditedStore } from './support/audited-store.js';
import { planted, story } from './support/planted.js';
import { at, Story } from './support/story.js';
import { untilEnd } from '../support/until-end.js';
import { verbsOn } from '../cli/support/verbs.js';

const audited = untilEnd(await AuditedStore.open());

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

  it('counts what came onto an account between the count and the look at its balance', async () => {
    await audited.write(new Story().account('acme').buy('acme', 20));
    const readBalance = async () => {
      await audited.write(new Story().buy('acme', 7).buy('acme', 5));
      const position = (await audited.fixture.store.head()) ?? 0n;
      await audited.write(new Story().buy('acme', 1));
      return { balance: 132, position };
    };
    const { findings, checks } = await audited.audit({ readBalance });
    expect(checks.find(({ name }) => name === 'balance-shown')?.checked).toBe(1);
    expect(findings.filter(({ check }) => check === 'balance-shown')).toEqual([]);
  });

  it('is an exit code of 1, with the stream, the revision and the two values', async () => {
    await audited.write(story().failedJob('acme', 'j').refund('acme', 'j'));
    const { run } = verbsOn({ databaseUrl: audited.fixture.url, folder: process.cwd() });
    const { code, stdout } = await run(['ledger', 'audit', '--at', '1000000']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'live.account-acme revision 4: charge r-j is refunded, but was not open (must be open, is refunded at revision 3)',
    );
  });
});
