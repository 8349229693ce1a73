import type { Environment } from '#domain/streams.js';
import { readModels } from '#projections/read-models.js';
import { RetryRefused } from '#read-store/parked-refold.js';
import { retryParked, type ParkedRetryOutcome } from '#read-store/parked-retry.js';
import { listParkedStreams, type ParkedStream } from '#read-store/parked-events.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printLine, printTable } from '../output.js';
import { checkStreamName } from '../stream-argument.js';
import type { OutputOptions } from '../verb.js';
import { firstLine } from './list-parked.js';

export interface RetryParkedOptions extends OutputOptions {
  readonly stream?: string;
  readonly all?: boolean;
  readonly env?: Environment;
}

interface Retried extends Pick<ParkedRetryOutcome, 'applied' | 'failure'> {
  readonly parked: ParkedStream;
  readonly stillParked: number;
  /** Why it was not even tried. */
  readonly refused?: string;
}

/** In the order in which they were parked: one may stand still only because of another that was parked before it. */
export async function retryParkedStreams(
  name: string | undefined,
  options: RetryParkedOptions,
): Promise<void> {
  const { stream, all, env, json } = options;
  check(name, options);
  await using operator = Operator.connect();
  const url = operator.connections.databaseUrl;
  const selected = await listParkedStreams(url, { environment: env, name, stream });
  const retried: Retried[] = [];
  for (const parked of selected) retried.push(await retryOne(operator, parked));

  if (json) printJson({ retried: retried.map(describeRetried) });
  else if (retried.length === 0)
    printLine(all ? 'Nothing is parked.' : 'Nothing of that is parked: "atelier parked list" shows what is.');
  else print(retried);
  const still = retried.filter(({ stillParked }) => stillParked > 0).length;
  if (still > 0)
    throw new CliError(
      `${still} of ${retried.length} streams are still parked: "atelier parked list --json" has the whole errors`,
    );
}

function check(name: string | undefined, { stream, all }: RetryParkedOptions): void {
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

async function retryOne({ connections, store }: Operator, parked: ParkedStream): Promise<Retried> {
  const { environment, name, stream } = parked;
  const model = readModels.find((one) => one.name === name);
  try {
    if (!model) throw new RetryRefused(`this release has no read model ${name}`);
    const outcome = await retryParked({
      ...{ url: connections.databaseUrl, eventStore: store },
      ...{ environment, model, stream },
    });
    return { parked, applied: outcome.applied, failure: outcome.failure, stillParked: outcome.parked };
  } catch (error) {
    if (!(error instanceof RetryRefused)) throw error;
    const stillParked = parked.waiting + 1;
    return { parked, applied: 0, failure: undefined, stillParked, refused: error.message };
  }
}

function print(retried: readonly Retried[]): void {
  printTable(
    ['env', 'read model', 'stream', 'folded', 'still parked', 'at revision', 'error'],
    retried.map(({ parked, applied, stillParked, failure, refused }) => [
      ...[parked.environment, parked.name, parked.stream, applied, stillParked],
      ...[failure?.recorded.revision, refused ?? (failure && firstLine(failure.error))],
    ]),
  );
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
