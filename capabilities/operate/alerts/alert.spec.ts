import { describe, expect, it } from 'vitest';
import { alertsOf, changesOf, goneForMs, remindAfterMs, type KnownAlert, type SeenReason } from './alert.js';

const began = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(began + ms);
const afterMs = 120_000;
const behind: SeenReason = { what: 'behind', env: 'live', detail: 'jobs is 31 s behind' };
const standing: KnownAlert = {
  what: 'behind',
  env: 'live',
  details: [behind.detail],
  since: at(0),
  toldAt: null,
  goneSince: null,
};
const told: KnownAlert = { ...standing, toldAt: at(afterMs) };

const changes = (known: readonly KnownAlert[], seen: readonly SeenReason[], ms: number, isWhole = true) =>
  changesOf(known, alertsOf(seen), { now: at(ms), isWhole, afterMs }).map(({ kind }) => kind);

describe('a reason', () => {
  it('is one alert with all others of its kind and environment', () => {
    const other = { ...behind, detail: 'ledger is 40 s behind' };
    expect(alertsOf([behind, { ...behind, env: 'test' }, other])).toEqual([
      { what: 'behind', env: 'live', details: [behind.detail, other.detail] },
      { what: 'behind', env: 'test', details: [behind.detail] },
    ]);
  });

  it('is told when it has stood for its time, and not before', () => {
    expect(changes([], [behind], 0)).toEqual(['stands']);
    expect(changes([standing], [behind], afterMs - 1)).toEqual([]);
    expect(changes([standing], [behind], afterMs)).toEqual(['told']);
  });

  it('is told at once if it need not stand', () => {
    const [first, second] = changesOf([], alertsOf([behind]), { now: at(0), isWhole: true, afterMs: 0 });
    expect([first?.kind, second?.kind]).toEqual(['stands', 'told']);
  });

  it('is told once, and again each day, with its details of then', () => {
    expect(changes([told], [behind], 2 * afterMs)).toEqual([]);
    const worse = { ...behind, detail: 'jobs is 90,000 s behind' };
    const reminded = changesOf([told], alertsOf([worse]), {
      now: at(afterMs + remindAfterMs),
      isWhole: true,
      afterMs,
    });
    expect(reminded).toMatchObject([
      { kind: 'told', isReminder: true, alert: { details: [worse.detail], since: at(0) } },
    ]);
  });

  it('that was never told is forgotten with the first look without it', () => {
    expect(changes([standing], [], afterMs - 1)).toEqual(['forgotten']);
  });

  it('that comes and goes is told once, and over only when it has been gone for long', () => {
    expect(changes([told], [], 200_000)).toEqual(['gone']);
    const gone = { ...told, goneSince: at(200_000) };
    expect(changes([gone], [behind], 300_000)).toEqual(['back']);
    expect(changes([gone], [], 200_000 + goneForMs - 1)).toEqual([]);
    expect(changes([gone], [], 200_000 + goneForMs)).toEqual(['over']);
  });

  it('stays as it is while Now cannot be read', () => {
    const gone = { ...told, goneSince: at(200_000) };
    const unreadable: SeenReason = { what: 'unreadable', env: null, detail: 'the store is away' };
    expect(changes([standing, { ...gone, env: 'test' }], [unreadable], 200_000 + goneForMs, false)).toEqual([
      'stands',
    ]);
  });
});
