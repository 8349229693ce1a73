import { setTimeout as sleep } from 'node:timers/promises';
import { processManagers } from '#application/process-managers/process-managers.js';
import { randomFrom } from '../../simulation/kernel/random.js';
import { npmRun, oneOf, wholeNumber } from '../../support/npm-run.js';
import { Caller } from './caller.js';
import { Installation, type StoreKind } from './installation.js';

const storeKinds: readonly StoreKind[] = ['postgres', 'eventstoredb'];
const options = npmRun(
  'campaign',
  'Runs a whole installation under load while its processes are killed, and counts what came of it (docs/crash-points.md).',
)
  .option('--rounds <number>', 'how many', wholeNumber, 300)
  .option('--store <kind>', storeKinds.join(' or '), oneOf(storeKinds, 'store'), 'postgres')
  .option('--seed <number>', 'decides which faults come, and when', wholeNumber, 1)
  .parse()
  .opts<{ rounds: number; store: StoreKind; seed: number }>();
const { rounds } = options;
const below = randomFrom(options.seed);

// Ctrl-C ends the faults early; every accepted dispatch is still followed to its end and counted.
const enough = new AbortController();
process.once('SIGINT', () => enough.abort());
const dispatchesEach = 8;
const drawnEvery = 24;
/** The duration of a fault: long enough to be noticed, shorter than callers wait. */
const someTime = () => 200 + below(1_500);
/**
 * At the end: without progress for this long, the installation counts as stuck. The reconciliation of lost
 * tasks takes up to a minute. Workers yield to everything else on the machine and may take many minutes for a
 * backlog.
 */
const standstillMs = 5 * 60_000;

type Fault = (installation: Installation) => Promise<unknown>;

const anyOf = <T>(things: readonly T[]): T => things[below(things.length)] as T;

const faults: Readonly<Record<string, Fault>> = {
  'kill a role': async ({ roles }) => anyOf(roles).kill(),
  'kill all roles': async ({ roles }) => roles.forEach((role) => role.kill()),
  'pause a role': async ({ roles }) => {
    const role = anyOf(roles);
    role.pause();
    await sleep(2 * someTime());
    role.resume();
  },
  'pause all projectors': async (installation) => {
    const projectors = installation.of('projector');
    for (const projector of projectors) projector.pause();
    await sleep(2 * someTime());
    for (const projector of projectors) projector.resume();
  },
  'cut the database': (installation) => installation.cut('database', someTime()),
  'cut the log': (installation) => installation.cut('log', someTime()),
  'lose answers of the database': (installation) => installation.loseAnswers('database', someTime()),
  'lose answers of the log': (installation) => installation.loseAnswers('log', someTime()),
  'delete waiting tasks': (installation) => installation.deleteTasks(),
  'drop the queue': (installation) => installation.dropQueue(),
  'lose a checkpoint': (installation) => installation.loseCheckpoint(anyOf(processManagers).name),
  'move a checkpoint past jobs': (installation) => installation.skipJobs(someTime()),
  'spoil checkpoints and reset them': (installation) => installation.spoilCheckpoints(someTime()),
  'restart the log': (installation) => installation.restartLog(),
  'restart the database': (installation) => installation.restartDatabase('stop'),
  'kill the database': (installation) => installation.restartDatabase('kill'),
};

/** Dispatches at a steady pace, and causes a fault or two in the middle. */
async function round(number: number, installation: Installation, caller: Caller): Promise<string> {
  const names = Object.keys(faults);
  const chosen = below(4) === 0 ? [anyOf(names), anyOf(names)] : [anyOf(names)];
  const load = Array.from({ length: dispatchesEach }, async (_, index) => {
    await sleep(index * 40);
    await caller.dispatch(`${number}-${index}`, (number * dispatchesEach + index) % drawnEvery === 0);
  });
  await sleep(below(dispatchesEach * 40));
  for (const name of chosen) await faults[name]?.(installation);
  await Promise.all(load);
  return chosen.join(', ');
}

interface JobRow {
  readonly public_id: string;
  readonly status: string;
}
interface LedgerRow {
  readonly kind: string;
  readonly status: string;
  readonly job_id?: string | null;
}

/** Waits until every job has ended and every charge is closed, or until nothing moves any more. */
async function settled(caller: Caller): Promise<{ jobs: JobRow[]; ledger: LedgerRow[] }> {
  for (let least = Infinity, movedAt = Date.now(); ; await sleep(2_000)) {
    const jobs = await caller.all<JobRow>('/v1/jobs');
    const ledger = (await caller.all<LedgerRow>('/v1/transactions')).filter(
      ({ kind }) => kind === 'operation',
    );
    const unfinished = jobs.filter(({ status }) => status !== 'SUCCESS' && status !== 'FAILURE').length;
    const open = unfinished + ledger.filter(({ status }) => status === 'PENDING').length;
    if (open < least) movedAt = Date.now();
    least = Math.min(least, open);
    if (open === 0 || Date.now() > movedAt + standstillMs) return { jobs, ledger };
  }
}

async function campaign(store: StoreKind): Promise<boolean> {
  const startedAt = Date.now();
  await using installation = await Installation.start(store);
  const caller = await Caller.open(installation);
  const made = new Map<string, number>();
  let done = 0;
  for (let number = 1; number <= rounds && !enough.signal.aborted; number++, done++) {
    for (const fault of (await round(number, installation, caller)).split(', '))
      made.set(fault, (made.get(fault) ?? 0) + 1);
    const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
    if (number % 10 === 0) console.log(`${number} rounds, ${caller.accepted.size} accepted, ${minutes} min`);
  }
  const { jobs, ledger } = await settled(caller);
  await caller.repeatAll();
  const stranded = await installation.command('jobs', 'stranded');
  const audit = await installation.command('ledger', 'audit').then(
    () => 'holds',
    // When a program exits with an error, Node's error holds its output.
    (error: unknown) => `fails: ${(error as { stdout?: string }).stdout?.slice(0, 2_000)}`,
  );

  const accepted = new Set([...caller.accepted.values()].map(({ jobId }) => jobId));
  const known = new Map(jobs.map(({ public_id: id, status }) => [id, status]));
  const withStatus = (...wanted: string[]) =>
    [...accepted].filter((id) => wanted.includes(known.get(id) ?? '')).length;
  const counts = {
    store,
    rounds: done,
    accepted: accepted.size,
    ended: withStatus('SUCCESS', 'FAILURE'),
    refunded: ledger.filter(({ status }) => status === 'REFUNDED').length,
    stranded: Math.max(withStatus('NOT_STARTED', 'IN_PROGRESS'), (stranded['jobs'] as unknown[]).length),
    lost: [...accepted].filter((id) => !known.has(id)).length + caller.neverAnswered,
    // One key was dispatched twice: its answers name different jobs, or a job exists that no answer named.
    doubled: caller.otherAnswers + [...known.keys()].filter((id) => !accepted.has(id)).length,
    endedByThemselves: installation.endedByThemselves(),
    audit,
    minutes: Math.round((Date.now() - startedAt) / 6_000) / 10,
  };
  console.log(Object.fromEntries([...made].toSorted(([one], [other]) => one.localeCompare(other))));
  console.log(JSON.stringify(counts, null, 2));
  const open = ledger.filter(({ status }) => status === 'PENDING').length;
  return counts.stranded + counts.lost + counts.doubled + open === 0 && audit === 'holds';
}

process.exitCode = (await campaign(options.store)) ? 0 : 1;
