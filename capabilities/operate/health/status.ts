import { actionsPrefix } from '#application/action/record-action.handler.js';
import { healthOfCapabilities, type NowOfCapabilities } from '#capabilities/parts.js';
import { messageOf } from '#platform/errors.js';
import { pgBossQueueLevels } from '#render-queue/queue-levels.js';
import { defineCall } from '#operator-calls/call.js';
import type { HealthSources } from '#operator-calls/health.js';
import { InEnvironment, NoInput } from '#operator-calls/input.js';
import { auditLine, complaintsAboutAudits, lastAudits, type LastAudits } from '../ledger/last-audit.js';
import { lagText, readConsumers } from './consumers.js';
import { printLine, printTable } from '#operator-calls/output.js';

/** Process managers follow the log and act on its events. */
export const listProcesses = defineCall({
  name: 'processes list',
  route: 'GET /process-managers',
  may: ['read'],
  summary: 'How far each process manager has come, and whether it is halted',
  input: InEnvironment,
  async run(operator, { env }) {
    const { store, configuration } = operator;
    const database = await operator.database();
    const processes = (await readConsumers({ database, store, configuration }))
      .filter(({ kind, env: of }) => kind === 'process manager' && (env ?? of) === of)
      .map(({ kind: _kind, parked: _parked, ...rest }) => rest);
    return { process_managers: processes };
  },
  print: ({ process_managers }) =>
    printTable(process_managers, {
      environment: ({ env }) => env,
      'process manager': ({ name }) => name,
      state: ({ state }) => state,
      position: ({ position }) => position,
      behind: lagText,
      because: (process) => process.halted_because,
    }),
});

/** One line for each capability about its health. */
async function statusOfCapabilities(sources: HealthSources) {
  const lines = (await healthOfCapabilities()).map(async ([name, health]) => {
    // An error is a state to report here, not a failure of the command.
    const line = await health.status(sources).catch((error: unknown) => messageOf(error));
    return [name, line] as const;
  });
  // Each name has its line.
  return Object.fromEntries(await Promise.all(lines)) as { [Name in keyof NowOfCapabilities]: string };
}

/** When the last audit was, and what is wrong with it or since. */
function lineOf(audits: LastAudits): string {
  return [auditLine(audits), ...complaintsAboutAudits(audits)].join('; ');
}

/**
 * Shows whether anyone waits, and for what: the consumers of the projector, the render queues, the audits, and the seals.
 */
export const showStatus = defineCall({
  name: 'status',
  route: 'GET /status',
  may: ['read'],
  summary:
    'How far read models and process managers are, the levels of the render queues, the last audit, and the last seal',
  input: NoInput,
  async run(operator) {
    const { configuration, store } = operator;
    const sources = { store, configuration, database: await operator.database() };
    const [consumers, queues, audits, told] = await Promise.all([
      readConsumers(sources),
      pgBossQueueLevels(sources.database)(),
      operator.recorded({ streamPrefixes: [actionsPrefix] }).then(lastAudits),
      statusOfCapabilities(sources),
    ]);
    return {
      consumers,
      queues: queues.map(({ environment, state, tasks, oldestSeconds }) => ({
        env: environment,
        state,
        tasks,
        oldest_seconds: Math.round(oldestSeconds),
      })),
      audit: lineOf(audits),
      ...told,
    };
  },
  print({ consumers, queues, ...told }) {
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
    for (const [name, line] of Object.entries(told)) printLine(`${name}: ${line}`);
  },
});
