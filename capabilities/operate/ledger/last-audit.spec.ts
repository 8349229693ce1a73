import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#event-store/event-store.js';
import { auditAction, auditSummary, lastAudits } from './last-audit.js';

interface Made {
  readonly by: string;
  readonly input?: object;
  readonly action?: string;
  /** Absent: it has not ended. */
  readonly ended?: { readonly outcome: string; readonly summary: string | null };
}

function eventsOf(audits: readonly Made[]): RecordedEvent[] {
  return audits.flatMap(({ by, input = {}, action = auditAction, ended }, number) => {
    const at = `2026-01-0${number + 1}T00:00:00.000Z`;
    const of = (type: string, revision: bigint, data: object): RecordedEvent => ({
      id: `00000000-0000-4000-8000-00000000000${number}`,
      type,
      data: { ...data, at },
      metadata: {
        requestId: 'r',
        causationId: 'c',
        tenant: 'installation',
        actor: 'operator:ada',
        schemaVersion: 1,
        recordedAt: at,
      },
      stream: `live.action-${number}`,
      revision,
      position: BigInt(2 * number) + revision,
    });
    return [
      of('ActionRequested', 0n, { action, by, input }),
      ...(ended ? [of('ActionEnded', 1n, ended)] : []),
    ];
  });
}

const holding = { outcome: 'done', summary: auditSummary(0, 10) };
const broken = { outcome: 'failed', summary: 'away' };
const finding = { outcome: 'done', summary: auditSummary(2, 10) };
const last = (...audits: readonly Made[]) => lastAudits(eventsOf(audits)).last_audit;
const failed = (...audits: readonly Made[]) => lastAudits(eventsOf(audits)).failed_audit;

describe('the last audit', () => {
  it('is the last one that came to its end', () => {
    expect(last()).toBeNull();
    expect(last({ by: 'ada', ended: holding }, { by: 'bea', ended: finding })).toMatchObject({
      by: 'bea',
      holds: false,
    });
    expect(last({ by: 'ada', ended: finding }, { by: 'bea' })).toMatchObject({ by: 'ada', holds: false });
    expect(last({ by: 'ada', ended: finding }, { by: 'bea', ended: broken })).toMatchObject({ by: 'ada' });
    expect(last({ by: 'ada' })).toBeNull();
    expect(last({ by: 'ada', ended: broken })).toBeNull();
  });

  it('has failed until one comes to its end', () => {
    const night = { by: 'nightly audit' };
    expect(failed({ by: 'ada', ended: holding })).toBeNull();
    expect(failed({ by: 'ada', ended: holding }, { ...night, ended: broken })).toEqual({
      by: 'nightly audit',
      at: '2026-01-02T00:00:00.000Z',
      summary: 'away',
    });
    expect(failed({ ...night, ended: broken }, night)).toMatchObject({ summary: 'away' });
    expect(failed({ ...night, ended: broken }, { by: 'ada', ended: finding })).toBeNull();
  });

  it.each([{ tenant: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' }, { env: 'test' }, { at: '41' }])(
    'is of the whole installation: %j does not hide what was found before',
    (input) => {
      expect(last({ by: 'ada', ended: finding }, { by: 'bea', input, ended: holding })).toMatchObject({
        by: 'ada',
        holds: false,
      });
      expect(last({ by: 'bea', input, ended: holding })).toBeNull();
    },
  );

  it('is no other action', () => {
    expect(last({ by: 'ada', action: 'credits grant', ended: holding })).toBeNull();
  });
});
