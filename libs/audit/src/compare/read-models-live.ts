import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { Findings } from '../findings.js';
import { rowModels } from '../rows/row-models.js';
import type { ExpectedRows } from './expected-rows.js';
import type { ParkedStream } from './read-store-snapshot.js';
import { checkViews } from './views.js';

const pollMs = 200;

export interface LivenessOptions {
  readonly url: string;
  readonly environments: readonly Environment[];
  /** Of this tenant's streams only: an audit of one tenant says nothing of the others. */
  readonly concerns: (stream: string) => boolean;
  /** How long a read model may stand before where the log ended when the audit began. */
  readonly patienceMs: number;
}

/** A read model that stands still, has put streams aside, or does not come along, has wrong rows before long. */
export async function checkReadModelsLive(
  expected: readonly ExpectedRows[],
  parked: readonly ParkedStream[],
  head: bigint,
  findings: Findings,
  { url, environments, concerns, patienceMs }: LivenessOptions,
): Promise<void> {
  for (const environment of environments) {
    for (const { name } of rowModels) {
      findings.checked('read-models-live');
      if (expected.some(({ table }) => table === `${environment}.${name}`)) continue;
      const message = 'no generation of this read model serves: has the projector never run?';
      wrong(findings, `${environment}.${name}`, message, 'live', 'not there');
    }
  }
  for (const { serving, table } of expected) {
    if (serving.state === 'live') continue;
    wrong(findings, table, `the read model stands still: ${serving.haltedBecause}`, 'live', serving.state);
  }
  for (const { environment, name, stream, revision, events, error } of parked) {
    if (!concerns(stream)) continue;
    const message = `${events} events are parked: ${error?.split('\n', 1)[0] ?? 'they wait behind another one'}`;
    const table = `${environment}.${name}`;
    findings.wrong({
      ...{ check: 'read-models-live', message, table, stream, revision },
      ...{ expected: 'nothing parked', found: `${events} events` },
    });
  }
  await checkViews(url, environments, findings);
  const behind = expected.filter(({ beyond }) => beyond > 0);
  for (const { model, reached } of await stillBehind(url, behind, head, patienceMs)) {
    const message = `${model.beyond} events have not reached it: the rows that they make are missing`;
    wrong(findings, model.table, message, `position ${head}`, `position ${reached ?? 'none'}`);
  }
}

function wrong(findings: Findings, table: string, message: string, expected: unknown, found: unknown): void {
  findings.wrong({ check: 'read-models-live', message, table, expected, found });
}

interface Behind {
  readonly model: ExpectedRows;
  readonly reached: string | null;
}

/** How many times the patience one may have with read models that come along slowly. */
const mostRounds = 6;

/** Looks until all have come along, or none of them has moved for so long. */
async function stillBehind(
  url: string,
  candidates: readonly ExpectedRows[],
  head: bigint,
  patienceMs: number,
): Promise<Behind[]> {
  if (candidates.length === 0) return [];
  const client = new pg.Client({ connectionString: url, application_name: 'atelier-audit' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const beganAt = performance.now();
    let [movedAt, last] = [beganAt, ''];
    for (; ; await sleep(pollMs)) {
      const { rows } = await client.query<{ table: string; position: string | null }>(
        `select environment || '.' || name as table, position::text from read_store.projections
          where state in ('live', 'halted')`,
      );
      const positions = new Map(rows.map(({ table, position }) => [table, position]));
      const behind = candidates
        .map((model) => ({ model, reached: positions.get(model.table) ?? null }))
        .filter(({ reached }) => reached === null || BigInt(reached) < head);
      const now = performance.now();
      const reached = behind.map((each) => each.reached).join();
      if (reached !== last) [movedAt, last] = [now, reached];
      const isPatient = now - movedAt <= patienceMs && now - beganAt <= patienceMs * mostRounds;
      if (behind.length === 0 || !isPatient) return behind;
    }
  } finally {
    await client.end();
  }
}
