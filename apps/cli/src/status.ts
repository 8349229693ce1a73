import { readServerVersion } from '#event-store/open-event-store.js';
import { messageOf } from '#platform/errors.js';
import { pgBossQueueLevels } from '#render-queue/queue-levels.js';
import { defineCall, NoInput } from './call.js';
import { lagText, readConsumers } from './consumers.js';
import { printLine, printTable } from './output.js';
import { judgeSeals } from './seals/seals.js';
import { answerWithinMs, withDatabase } from './service.js';

/** Is anyone waiting, and for what: what the projector runs, the render queues, and the seals. */
export const showStatus = defineCall({
  name: 'status',
  route: 'GET /status',
  may: ['read'],
  summary: 'How far read models and process managers are, the levels of the render queues, and the last seal',
  input: NoInput,
  async run({ configuration, store }) {
    const { databaseUrl, eventStoreUrl } = configuration;
    const { kind } = await readServerVersion(eventStoreUrl, answerWithinMs);
    const [consumers, queues, seals] = await Promise.all([
      readConsumers(configuration, kind),
      withDatabase(databaseUrl, answerWithinMs, (client) => pgBossQueueLevels(client)()),
      // Events that wait for too long are a state here, and no failure of the look.
      judgeSeals(store, configuration).catch((error: unknown) => messageOf(error)),
    ]);
    return {
      consumers,
      queues: queues.map(({ environment, state, tasks, oldestSeconds }) => ({
        ...{ env: environment, state, tasks, oldest_seconds: Math.round(oldestSeconds) },
      })),
      seals,
    };
  },
  print({ consumers, queues, seals }) {
    printTable(consumers, {
      environment: ({ env }) => env,
      kind: (consumer) => consumer.kind,
      name: ({ name }) => name,
      state: ({ state }) => state,
      behind: (consumer) => lagText(consumer),
      parked: ({ parked }) => parked,
    });
    printTable(queues, {
      environment: ({ env }) => env,
      'render tasks': ({ state }) => state,
      tasks: ({ tasks }) => tasks,
      'oldest (s)': ({ oldest_seconds }) => oldest_seconds,
    });
    printLine(`seals: ${seals}`);
  },
});
