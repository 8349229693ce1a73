import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { AuditFindings } from '../findings.js';
import type { ReadStoreSnapshot } from './read-store-snapshot.js';

export interface LivenessOptions {
  readonly url: string;
  readonly environments: readonly Environment[];
  /** Names of all read models. */
  readonly names: readonly string[];
  /** Whether a stream is of the tenant that is asked for: an audit of one tenant says nothing of the others. */
  readonly concerns: (stream: string) => boolean;
  /** By table: events beyond the checkpoint that the snapshot has. */
  readonly beyond: ReadonlyMap<string, number>;
  /** Where the log ended when the audit began. */
  readonly head: bigint;
  /** How long a read model may stand still before the head. */
  readonly patienceMs: number;
}

/** A read model that stands still, has parked streams, or does not reach the head, has wrong rows before long. */
export async function checkReadModelsLive(
  { serving, parked }: ReadStoreSnapshot,
  findings: AuditFindings,
  options: LivenessOptions,
): Promise<void> {
  const { url, environments, names, concerns, beyond, head } = options;
  const check = 'read-models-live';
  for (const table of environments.flatMap((environment) => names.map((name) => `${environment}.${name}`))) {
    findings.checked(check);
    const model = serving.find(({ environment, name }) => table === `${environment}.${name}`);
    if (!model) {
      const message = 'no generation of this read model serves: has the projector never run?';
      findings.wrong({ check, message, table, expected: 'live', found: 'not there' });
    } else if (model.state !== 'live') {
      const message = `the read model stands still: ${model.haltedBecause}`;
      findings.wrong({ check, message, table, expected: 'live', found: model.state });
    }
  }
  for (const { environment, name, stream, revision, events, error } of parked) {
    if (!concerns(stream)) continue;
    const message = `${events} events are parked: ${error?.split('\n', 1)[0] ?? 'they wait behind another one'}`;
    const place = { table: `${environment}.${name}`, stream, revision };
    findings.wrong({ check, message, ...place, expected: 'nothing parked', found: `${events} events` });
  }
  const client = new pg.Client({ connectionString: url, application_name: 'atelier-audit' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const { table, reached } of await stillBehind(client, options)) {
      const message = `${beyond.get(table)} events have not reached it: the rows that they make are missing`;
      const found = `position ${reached ?? 'none'}`;
      findings.wrong({ check, message, table, expected: `position ${head}`, found });
    }
  } finally {
    await client.end();
  }
}

interface Behind {
  readonly table: string;
  readonly reached: string | null;
}

const pollMs = 200;
/** The whole wait for read models that move slowly, in times of the patience with one that does not move. */
const mostRounds = 6;

/** Looks until all have reached the head, or none of them has moved for as long as there is patience. */
async function stillBehind(
  client: pg.Client,
  { beyond, head, patienceMs }: LivenessOptions,
): Promise<Behind[]> {
  const beganAt = performance.now();
  let [movedAt, last] = [beganAt, ''];
  for (; beyond.size > 0; await pause(pollMs)) {
    const { rows } = await client.query<{ table: string; position: string | null }>(
      `select environment || '.' || name as table, position::text from read_store.projections
        where state in ('live', 'halted')`,
    );
    const positions = new Map(rows.map(({ table, position }) => [table, position]));
    const behind = [...beyond.keys()]
      .map((table) => ({ table, reached: positions.get(table) ?? null }))
      .filter(({ reached }) => reached === null || BigInt(reached) < head);
    const now = performance.now();
    const reached = behind.map((each) => each.reached).join();
    if (reached !== last) [movedAt, last] = [now, reached];
    const isPatient = now - movedAt <= patienceMs && now - beganAt <= patienceMs * mostRounds;
    if (behind.length === 0 || !isPatient) return behind;
  }
  return [];
}
