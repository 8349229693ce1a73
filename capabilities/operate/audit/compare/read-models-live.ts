import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import { withConnection } from '#platform/postgres.js';
import type { AuditFindings } from '../findings.js';
import type { ReadModelFold } from '../rows/folded-rows.js';
import type { ReadStoreSnapshot, ServingModel } from './read-store-snapshot.js';

export interface LivenessOptions {
  readonly url: string;
  readonly environments: readonly Environment[];
  /** All read models. */
  readonly models: readonly Pick<ReadModelFold, 'name' | 'shape'>[];
  /** Whether a stream belongs to the audited tenant: an audit of one tenant reports no others. */
  readonly concerns: (stream: string) => boolean;
  /** By table: events beyond the checkpoint that the snapshot has. */
  readonly beyond: ReadonlyMap<string, number>;
  /** Where the log ended when the audit began. */
  readonly head: bigint;
  /** How long a read model may stand still before the head. */
  readonly patienceMs: number;
}

/** A read model that stands still, has parked streams, or does not reach the head will soon have wrong rows. */
export async function checkReadModelsLive(
  { serving, parked }: ReadStoreSnapshot,
  findings: AuditFindings,
  options: LivenessOptions,
): Promise<void> {
  const { url, environments, models, concerns, beyond, head } = options;
  const check = 'read-models-live';
  const tables = environments.flatMap((environment) =>
    models.map((model) => ({ ...model, environment, table: `${environment}.${model.name}` })),
  );
  for (const { environment, name, shape, table } of tables) {
    findings.checked(check);
    const model = serving.find((each) => each.environment === environment && each.name === name);
    if (!model) {
      const message = 'no generation of this read model serves: has the projector never run?';
      findings.wrong({ check, message, table, expected: 'live', found: 'not there' });
    } else if (model.state !== 'live') {
      const message = `the read model is halted: ${model.haltedBecause}`;
      findings.wrong({ check, message, table, expected: 'live', found: model.state });
    } else if (isForeign(model, shape)) {
      const message =
        'another release has folded since then: a projector of this release makes those rows again by itself';
      const found = `folded up to position ${model.foldedTo[shape] ?? 'none'}`;
      findings.wrong({ check, message, table, expected: `position ${model.position}`, found });
    }
  }
  for (const { environment, name, stream, revision, events, error } of parked) {
    if (!concerns(stream)) continue;
    const message = `${events} events are parked: ${error?.split('\n', 1)[0] ?? 'they wait behind another event'}`;
    const place = { table: `${environment}.${name}`, stream, revision };
    findings.wrong({ check, message, ...place, expected: 'nothing parked', found: `${events} events` });
  }
  const behind = await withConnection(connectionTo(url), (client) => stillBehind(client, options));
  for (const { table, reached } of behind) {
    const message = `${beyond.get(table)} events have not reached it: the rows that they make are missing`;
    const found = `position ${reached ?? 'none'}`;
    findings.wrong({ check, message, table, expected: `position ${head}`, found });
  }
}

const connectionTo = (url: string) => ({ connectionString: url, application_name: 'atelier-audit' });

/** Whether another release has folded events that this release's projector has not folded again yet. */
function isForeign({ position, foldedTo }: ServingModel, shape: string): boolean {
  return position !== undefined && foldedTo[shape] !== String(position);
}

/**
 * Waits for a projector that will fold another release's rows again: until then they differ from this release's rows
 * without being wrong.
 */
export function ownFolds(
  url: string,
  models: LivenessOptions['models'],
  environments: readonly Environment[],
  patienceMs: number,
): Promise<void> {
  return withConnection(connectionTo(url), async (client) => {
    for (const until = performance.now() + patienceMs; performance.now() < until; await pause(pollMs)) {
      const { rows } = await client.query(
        `select from read_store.projections p join unnest($2::text[], $3::text[]) as model (name, shape) using (name)
          where environment = any($1) and state = 'live' and position is not null
            and folded_to->>shape is distinct from position::text`,
        [environments, models.map(({ name }) => name), models.map(({ shape }) => shape)],
      );
      if (rows.length === 0) return;
    }
  });
}

interface Behind {
  readonly table: string;
  readonly reached: string | null;
}

const pollMs = 200;
/** The longest wait for read models that move slowly, as a multiple of `patienceMs`. */
const mostRounds = 6;

/** Polls until all read models have reached the head, or none has moved for `patienceMs`. */
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
