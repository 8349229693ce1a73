import { openEventStore } from '#event-store/open-event-store.js';
import { operate } from '../support/command.js';
import { testMasterKey, testSigningKey } from '../support/signing-key.js';
import { prepareAtelier } from './atelier.js';
import { cpuOfServerMs, fieldsOf, median, sumOf } from './cost.js';
import { createInstallation, settingsOf, type BenchServer } from './databases.js';
import { measure, serviceOf, type Scenario, type Service } from './dispatch.bench.js';
import { seedHistory } from './history.js';
import { dispatchLoad } from './load.js';
import { tell } from './results.js';

const usualJobs = 20_000;
const rounds = 5;
const scenarios: readonly Scenario[] = [
  { tenants: 1, connections: 8 },
  { tenants: 1, connections: 64 },
  { tenants: 64, connections: 64 },
];

/** CPU in milliseconds of one piece of work, on an installation that encrypts personal words and on one that does not. */
interface Pair {
  readonly plain: number;
  readonly encrypted: number;
}

/** The CPU that the encryption of personal words adds to a dispatch, and to an event of a rebuild. */
export async function benchWords(server: BenchServer, jobs = usualJobs): Promise<void> {
  const rows: string[][] = [];
  const row = (work: string, pairs: readonly Pair[]) => {
    const of = (value: (pair: Pair) => number) => median(pairs.map(value));
    const figures = [of(({ plain }) => plain), of(({ encrypted }) => encrypted)];
    const ratio = of(({ plain, encrypted }) => encrypted / plain);
    rows.push([work, ...figures.map((each) => each.toFixed(3)), ratio.toFixed(2)]);
  };
  await measureDispatches(server, row);
  row(`an event of a rebuild of ${jobs} jobs`, await measureRebuilds(server, jobs));
  const head = ['work', 'CPU ms plain', 'CPU ms encrypted', 'ratio'];
  tell({ title: 'The encryption of personal words', head, rows });
}

type Row = (work: string, pairs: readonly Pair[]) => void;

/** In turns, round after round: only the ratio counts. */
async function inTurns(measure: (words: keyof Pair) => Promise<number>): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++)
    pairs.push({ plain: await measure('plain'), encrypted: await measure('encrypted') });
  return pairs;
}

async function measureDispatches(server: BenchServer, row: Row): Promise<void> {
  const plain = await prepareAtelier(server.url, 64, undefined, { ATELIER_MASTER_KEY: '' });
  const encrypted = await prepareAtelier(server.url, 64);
  const services = { plain: serviceOf('plain', plain), encrypted: serviceOf('encrypted', encrypted) };
  try {
    for (const { url, keys } of Object.values(services))
      await dispatchLoad({ url, keys, connections: 16, seconds: 5 });
    for (const { tenants, connections } of scenarios) {
      const pairs = await inTurns((words) =>
        cpuOfDispatch(services[words], server.pid, { tenants, connections }),
      );
      row(`a dispatch, ${tenants} tenants, ${connections} connections`, pairs);
    }
  } finally {
    await plain.stop();
    await encrypted.stop();
  }
}

/** The CPU that API, projector and PostgreSQL use together, in milliseconds. */
async function cpuOfDispatch(service: Service, serverPid: number, scenario: Scenario): Promise<number> {
  const { each } = await measure(service, serverPid, scenario);
  return Object.values(each.cpuMs).reduce((sum, one) => sum + one, 0);
}

async function measureRebuilds(server: BenchServer, jobs: number): Promise<Pair[]> {
  const installations = {
    plain: await historyOf(server, jobs, undefined),
    encrypted: await historyOf(server, jobs, testMasterKey),
  };
  return inTurns((words) => cpuOfRebuild(installations[words], server.pid));
}

async function historyOf(server: BenchServer, jobs: number, masterKey: string | undefined) {
  const urls = await createInstallation(server.url, 'words');
  const words = masterKey === undefined ? undefined : { masterKey };
  const events = await openEventStore(urls, { proof: { signingKey: testSigningKey }, words });
  await seedHistory(events.store, jobs);
  await events.close();
  return { ...settingsOf(urls.databaseUrl), ATELIER_MASTER_KEY: masterKey ?? '' };
}

/** The CPU that the operators' command and PostgreSQL use together for an event, in milliseconds. */
async function cpuOfRebuild(settings: Readonly<Record<string, string>>, serverPid: number): Promise<number> {
  const used = () => cpuOfServerMs(serverPid) + cpuOfEndedChildrenMs();
  const before = used();
  const { stdout } = await operate(settings, 'projections', 'rebuild', '--all', '--env', 'live', '--json');
  const { environments } = JSON.parse(stdout) as { environments: [{ events: number }] };
  return (used() - before) / environments[0].events;
}

const cpuOfEndedChildrenMs = () => sumOf(fieldsOf('self'), 16, 17);
