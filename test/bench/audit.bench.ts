import { testKeys } from '../support/signing-key.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { sealLog } from '#capabilities/seals/sealer.js';
import type { Seal } from '#capabilities/seals/seal.js';
import { sealingOf } from '#capabilities/seals/test/support/sealing.js';
import { operate } from '../support/command.js';
import { createInstallation, settingsOf } from './databases.js';
import { seedHistory } from './history.js';
import { tell } from './results.js';

/** Each job has nine events: about a million in all. */
const usualJobs = 111_111;

interface Audited {
  readonly holds: boolean;
  readonly events: number;
  readonly seconds: number;
  readonly events_per_second: number;
  readonly cpu_seconds: number;
  readonly rss_mb: number;
  readonly checks: readonly { readonly invariant: number; readonly checked: number }[];
}

/**
 * Measures the time and memory of an audit of a whole installation. It runs the operators' own command, which
 * measures itself.
 */
export async function benchAudit(serverUrl: string, jobs = usualJobs): Promise<void> {
  const urls = await createInstallation(serverUrl, 'audit');
  const settings = settingsOf(urls.databaseUrl);
  await timed(`${jobs} jobs of history written`, async () => {
    await using opened = await openEventStore(urls, { ...testKeys });
    await seedHistory(opened.store, jobs);
  });
  await timed('read models built', () => operate(settings, 'projections', 'rebuild', '--all'));
  const rows: (string | number)[][] = [];
  for (const round of ['first', 'second', 'sealed']) {
    if (round === 'sealed') await seal(urls);
    const { stdout } = await operate(settings, 'ledger', 'audit', '--json');
    const { holds, events, seconds, events_per_second, cpu_seconds, rss_mb, checks } = JSON.parse(
      stdout,
    ) as Audited;
    const compared = checks
      .filter(({ invariant }) => invariant === 8)
      .reduce((sum, { checked }) => sum + checked, 0);
    const result = holds ? 'all hold' : 'NOT all hold';
    rows.push([round, result, events, compared, seconds, events_per_second, cpu_seconds, rss_mb]);
  }
  tell({
    title: 'Audits of an installation',
    head: ['audit', 'result', 'events', 'rows', 's', 'events/s', 'CPU s', 'most MB'],
    rows,
  });
}

/** Seals the log as a projector does that has to catch up. The first range that is not full is the last one. */
async function seal(urls: Parameters<typeof openEventStore>[0]): Promise<void> {
  await using opened = await openEventStore(urls, { ...testKeys });
  const stopping = new AbortController();
  const startedAt = performance.now();
  let [events, seals] = [0, 0];
  const onSealed = ({ count }: Seal) => {
    events += count;
    seals++;
    if (count < 4_096) stopping.abort();
  };
  await sealLog(sealingOf(opened.store, { onSealed }), stopping.signal);
  const perSecond = Math.round((events / (performance.now() - startedAt)) * 1000);
  console.log(`${events} events sealed in ${seals} ranges (${perSecond} events/s)`);
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  console.log(`${what} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}
