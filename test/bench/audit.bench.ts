import { testProof, testSigningKey } from '../support/signing-key.js';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { openEventStore, prepareEventStore } from '#event-store/open-event-store.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { sealLog } from '#capabilities/seals/sealer.js';
import type { Seal } from '#capabilities/seals/seal.js';
import { sealingOf } from '#capabilities/seals/test/support/sealing.js';
import { createDatabase } from './databases.js';
import { seedHistory } from './history.js';

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
  const url = await createDatabase(serverUrl, 'audit');
  await prepareEventStore({ eventStoreUrl: url, databaseUrl: url });
  await migrateReadStore(url, readModels);
  await timed(`${jobs} jobs of history written`, async () => {
    await using opened = await openEventStore({ eventStoreUrl: url, databaseUrl: url }, { proof: testProof });
    await seedHistory(opened.store, jobs);
  });
  await timed('read models built', () => atelier(url, 'projections', 'rebuild', '--all'));
  for (const round of ['first', 'second', 'sealed']) {
    if (round === 'sealed') await seal(url);
    const audited = JSON.parse(await atelier(url, 'ledger', 'audit', '--json')) as Audited;
    const { holds, events, seconds, events_per_second, cpu_seconds, rss_mb, checks } = audited;
    const rows = checks
      .filter(({ invariant }) => invariant === 8)
      .reduce((sum, { checked }) => sum + checked, 0);
    console.log(
      `${round} audit: ${holds ? 'all hold' : 'NOT all hold'}; ${events} events and ${rows} rows in ${seconds} s (${events_per_second} events/s), ${cpu_seconds} s of CPU, at most ${rss_mb} MB of memory`,
    );
  }
}

/** Seals the log as a projector does that has to catch up. The first range that is not full is the last one. */
async function seal(url: string): Promise<void> {
  await using opened = await openEventStore({ eventStoreUrl: url, databaseUrl: url }, { proof: testProof });
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

function atelier(databaseUrl: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const main = join(process.cwd(), 'dist', 'capabilities', 'operate', 'main.js');
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      URL_SIGNING_SECRET: 'bench',
      ATELIER_SIGNING_KEY: testSigningKey,
    };
    execFile(process.execPath, [main, ...args], { env, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${args.join(' ')}: ${stderr}${stdout}`));
      else resolve(stdout);
    });
  });
}
