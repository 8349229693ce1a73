import { listParkedStreams, type ParkedStream } from '#read-store/parked-events.js';
import { defineCall } from '#operator-calls/call.js';
import { InEnvironment } from '#operator-calls/input.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { withDatabase } from '../service.js';

const withinMs = 10_000;

export const listParked = defineCall({
  name: 'parked list',
  route: 'GET /parked',
  may: ['read'],
  summary: 'Streams that a read model does not follow, what is wrong, and how many events wait',
  input: InEnvironment,
  async run({ configuration }, { env }) {
    const parked = await withDatabase(configuration.databaseUrl, withinMs, (client) =>
      listParkedStreams(client, env),
    );
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
    revision: one.revision,
    position: one.position,
    type: one.type,
    error: one.error,
    waiting: one.waiting,
    since: one.since.toISOString(),
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
