import type { EventStore } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';
import { RetryRefused } from '#read-store/parked-retry.js';
import { retryParked, type ParkedRetryOutcome } from '#read-store/parked-retry.js';
import { listParkedStreams, type ParkedStream } from '#read-store/parked-events.js';
import { findConfiguration, withEventStore } from '../service.js';
import { printJson, printLine, printTable } from '../output.js';
import { checkStreamName } from '../places.js';
import { CliError, type EnvironmentOptions } from '../verb.js';

export async function listParked({ env, json }: EnvironmentOptions): Promise<void> {
  const parked = await listParkedStreams(findConfiguration().databaseUrl, { environment: env });
  if (json) return printJson({ parked: parked.map(describeParked) });
  if (parked.length === 0) return printLine('Nothing is parked: the read models follow all streams.');
  printTable(parked, {
    env: (one) => one.environment,
    'read model': (one) => one.name,
    gen: (one) => one.generation,
    stream: (one) => one.stream,
    revision: (one) => one.revision,
    event: (one) => one.type,
    'waiting behind it': (one) => one.waiting,
    since: (one) => one.since.toISOString(),
    error: (one) => firstLine(one.error),
  });
}

/** `waiting` counts the events behind the one that cannot be folded. */
function describeParked(one: ParkedStream) {
  return {
    env: one.environment,
    read_model: one.name,
    generation: one.generation,
    stream: one.stream,
    revision: Number(one.revision),
    position: one.position.toString(),
    type: one.type,
    error: one.error,
    waiting: one.waiting,
    since: one.since.toISOString(),
  };
}

export interface RetryParkedOptions extends EnvironmentOptions {
  readonly stream?: string;
  readonly all?: boolean;
}

interface Retried extends Pick<ParkedRetryOutcome, 'applied' | 'failure'> {
  readonly parked: ParkedStream;
  readonly stillParked: number;
  /** Why it was not even tried. */
  readonly refused?: string;
}

/** In the order in which they were parked: one may be parked only because of another that was parked before it. */
export async function retryParkedStreams(
  name: string | undefined,
  options: RetryParkedOptions,
): Promise<void> {
  const { stream, all, env, json } = options;
  checkSelection(name, options);
  const configuration = findConfiguration();
  const { databaseUrl } = configuration;
  const selected = await listParkedStreams(databaseUrl, { environment: env, name, stream });
  const retried = await withEventStore(configuration, { maxConnections: 2 }, async (store) => {
    const done: Retried[] = [];
    for (const parked of selected) done.push(await retryOne(databaseUrl, store, parked));
    return done;
  });

  if (json) printJson({ retried: retried.map(describeRetried) });
  else if (retried.length === 0)
    printLine(all ? 'Nothing is parked.' : 'Nothing of that is parked: "atelier parked list" shows what is.');
  else
    printTable(retried, {
      env: ({ parked }) => parked.environment,
      'read model': ({ parked }) => parked.name,
      stream: ({ parked }) => parked.stream,
      folded: ({ applied }) => applied,
      'still parked': ({ stillParked }) => stillParked,
      'at revision': ({ failure }) => failure?.recorded.revision,
      error: ({ refused, failure }) => refused ?? (failure && firstLine(failure.error)),
    });
  const still = retried.filter(({ stillParked }) => stillParked > 0).length;
  if (still > 0)
    throw new CliError(
      `${still} of ${retried.length} streams are still parked: "atelier parked list --json" has the whole errors`,
    );
}

function checkSelection(name: string | undefined, { stream, all }: RetryParkedOptions): void {
  if (name === undefined && stream === undefined && !all)
    throw new CliError('say what to retry: a read model, --stream or --all');
  if (all && (name !== undefined || stream !== undefined))
    throw new CliError('--all is everything: leave the read model and --stream away, or --all');
  if (stream !== undefined) checkStreamName(stream);
  if (name !== undefined && !readModels.some((model) => model.name === name))
    throw new CliError(
      `there is no read model ${JSON.stringify(name)}: use one of ${readModels.map((model) => model.name).join(', ')}`,
    );
}

async function retryOne(url: string, eventStore: EventStore, parked: ParkedStream): Promise<Retried> {
  const { environment, name, stream } = parked;
  const model = readModels.find((one) => one.name === name);
  try {
    if (!model) throw new RetryRefused(`this release has no read model ${name}`);
    const outcome = await retryParked({ url, eventStore, environment, model, stream });
    return { parked, applied: outcome.applied, failure: outcome.failure, stillParked: outcome.parked };
  } catch (error) {
    if (!(error instanceof RetryRefused)) throw error;
    const stillParked = parked.waiting + 1;
    return { parked, applied: 0, failure: undefined, stillParked, refused: error.message };
  }
}

function describeRetried({ parked, applied, stillParked, failure, refused }: Retried) {
  return {
    env: parked.environment,
    read_model: parked.name,
    stream: parked.stream,
    folded: applied,
    still_parked: stillParked,
    refused: refused ?? null,
    failure: failure
      ? { revision: Number(failure.recorded.revision), type: failure.recorded.type, error: failure.error }
      : null,
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
