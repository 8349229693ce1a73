import { describe, expect, it } from 'vitest';
import { AuditFindings, type Finding } from '#capabilities/operate/audit/findings.js';
import { History } from '#capabilities/operate/audit/history/history.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { acme, planted, story } from './support/planted.js';
import { at, busyStory, Story } from './support/story.js';

/** A day after the story, with a horizon of a minute. */
function findingsIn(events: readonly RecordedEvent[], tenant?: string): Finding[] {
  const findings = new AuditFindings();
  const history = new History(findings, { tenant });
  for (const event of events) history.apply(event);
  history.end(Date.parse(at(86_400)), 60_000);
  for (const event of events)
    history.eventIds.seeAgain(event.id, { ...event, revision: Number(event.revision) });
  history.eventIds.report();
  return [...findings.all];
}

describe('the audit of a history', () => {
  it.each(['live', 'test'] as const)('finds nothing wrong with a clean one in %s', (environment) => {
    expect(findingsIn(busyStory(environment).recorded())).toEqual([]);
  });

  it.each(planted)('finds $rule', ({ story: told, rule: _, ...finding }) => {
    expect(findingsIn(told.recorded())).toContainEqual(expect.objectContaining(finding));
  });

  it('counts each debit as a charge that it checked', () => {
    const findings = new AuditFindings();
    const history = new History(findings);
    for (const event of story().job('acme', 'j').debit('acme', 'k').recorded()) history.apply(event);
    expect(findings.of('charges').checked).toBe(2);
  });

  it('counts each end of a job as one that it checked', () => {
    const findings = new AuditFindings();
    const history = new History(findings);
    const told = story().job('acme', 'j').failedJob('acme', 'k').debit('acme', 'l').queue('acme', 'l');
    for (const event of told.recorded()) history.apply(event);
    expect(findings.of('terminal').checked).toBe(2);
  });

  it('says what came before its account was opened', () => {
    const events = new Story().tell('account', 'acme', 'acme', 'AccountSuspended', { reason: 'x' });
    expect(findingsIn(events.recorded())).toMatchObject([
      { check: 'accounts', message: 'AccountSuspended before AccountOpened', expected: 'opened' },
    ]);
  });

  it('ends when its newest event was recorded, whichever clock wrote the last one', () => {
    const [first, second] = story().recorded();
    const late = { ...first!, metadata: { ...first!.metadata, recordedAt: at(60) } };
    const history = new History(new AuditFindings());
    for (const event of [late, second!]) history.apply(event);
    expect(history.newest).toBe(Date.parse(at(60)));
  });

  it('finds a gap in a stream, once', () => {
    const events = story().job('acme', 'j').job('acme', 'k').recorded();
    const [index, missing] = [...events.entries()].find(([, { stream }]) => stream === 'live.job-k')!;
    const gap = events.toSpliced(index + 1, 1);
    const found = findingsIn(gap).filter(({ check }) => check === 'revisions');
    expect(missing.revision).toBe(0n);
    expect(found).toMatchObject([{ stream: 'live.job-k', revision: 2, expected: 1, found: 2 }]);
  });

  it('finds a position that does not grow', () => {
    const events = story().job('acme', 'j').recorded();
    const bent = events.with(4, { ...events[4]!, position: 4n });
    expect(findingsIn(bent).filter(({ check }) => check === 'positions')).toMatchObject([
      { stream: 'live.job-j', revision: 1, expected: 'more than 4', found: '4' },
    ]);
  });

  it('finds an id that two events have, and names both', () => {
    const events = story().job('acme', 'j').recorded();
    const bent = events.with(5, { ...events[5]!, id: events[1]!.id });
    expect(findingsIn(bent)).toMatchObject([
      {
        check: 'event-ids',
        stream: 'live.job-j',
        revision: 2,
        found: events[1]!.id,
        message: expect.stringContaining('live.account-acme at revision 1'),
      },
    ]);
  });

  it('has patience with a charge that is younger than the horizon', () => {
    const findings = new AuditFindings();
    const history = new History(findings);
    for (const event of story().debit('acme', 'j').recorded()) history.apply(event);
    history.end(Date.parse(at(2)) + 60_000, 60_000);
    expect(findings.all).toEqual([]);
    history.end(Date.parse(at(2)) + 60_001, 60_000);
    expect(findings.all).toMatchObject([{ check: 'charge-has-job' }]);
  });

  it('of one tenant is about no other', () => {
    const events = story().account('bold').refund('bold', 'j').refund('acme', 'k').recorded();
    expect(findingsIn(events, 'acme')).toMatchObject([{ check: 'charges', stream: acme }]);
    expect(findingsIn(events, 'bold')).toMatchObject([{ check: 'charges', stream: 'live.account-bold' }]);
  });
});
