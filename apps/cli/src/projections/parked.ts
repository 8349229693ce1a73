import type { EventStore } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';
import { RetryRefused } from '#read-store/parked-retry.js';
import { retryParked, type ParkedRetryOutcome } from '#read-store/parked-retry.js';
import { listParkedStreams, type ParkedStream } from '#read-store/parked-events.js';
import { BooleanField, TextField } from '#validation/fields.js';
import { defineCall, InEnvironment } from '../call.js';
import { printLine, printTable } from '../output.js';
import { checkStreamName } from '../places.js';
import { CliError } from '../verb.js';

export const listParked = defineCall({
  name: 'parked list',
  route: 'GET /parked',
  may: ['read'],
  summary: 'Streams that a read model does not follow, what is wrong, and how many events wait',
  input: InEnvironment,
  async run({ configuration }, { env }) {
    const parked = await listParkedStreams(configuration.databaseUrl, { environment: env });
    return { parked: parked.map(describeParked) };
  },
  print({ parked }) {
    if (parked.length === 0) return printLine('Nothing is parked: the read models follow all streams.');
    printTable(parked, {
      env: (one) => one.env,
      'read model': (one) => one.read_model,
      gen: (one) => one.generation,
      stream: (one) => one.stream,
      revision: (one) => one.revision,
      event: (one) => one.type,
      'waiting behind it': (one) => one.waiting,
      since: (one) => one.since,
      error: (one) => firstLine(one.error),
    });
  },
});

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

class ParkedChoice extends InEnvironment {
  @TextField({ description: 'All streams that are parked for this read model.', min: 1, max: 64 })
  read_model?: string;

  @TextField({ description: 'Only this stream, for example `test.account-01J…`.', min: 1, max: 200 })
  stream?: string;

  @BooleanField({ description: 'Whatever is parked.' })
  all?: boolean;
}

interface Retried extends Pick<ParkedRetryOutcome, 'applied' | 'failure'> {
  readonly parked: ParkedStream;
  readonly stillParked: number;
  /** Why it was not even tried. */
  readonly refused?: string;
}

/** In the order in which they were parked: one may be parked only because of another that was parked before it. */
export const retryParkedStreams = defineCall({
  name: 'parked retry',
  route: 'POST /parked/retry',
  may: ['support'],
  summary: 'Fold parked events with the code of this release',
  input: ParkedChoice,
  async run({ configuration, store }, input) {
    checkSelection(input);
    const { databaseUrl } = configuration;
    const { read_model: name, stream, env } = input;
    const selected = await listParkedStreams(databaseUrl, { environment: env, name, stream });
    const retried = [];
    for (const parked of selected) retried.push(describeRetried(await retryOne(databaseUrl, store, parked)));
    return { retried };
  },
  print({ retried }, { all }) {
    if (retried.length === 0)
      return printLine(
        all ? 'Nothing is parked.' : 'Nothing of that is parked: "atelier parked list" shows what is.',
      );
    printTable(retried, {
      env: (each) => each.env,
      'read model': (each) => each.read_model,
      stream: (each) => each.stream,
      folded: (each) => each.folded,
      'still parked': (each) => each.still_parked,
      'at revision': (each) => each.failure?.revision,
      error: ({ refused, failure }) => refused ?? (failure && firstLine(failure.error)),
    });
  },
  complaint({ retried }) {
    const still = retried.filter((each) => each.still_parked > 0).length;
    if (still === 0) return undefined;
    return `${still} of ${retried.length} streams are still parked: "atelier parked list --json" has the whole errors`;
  },
});

function checkSelection({ read_model: name, stream, all }: ParkedChoice): void {
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
