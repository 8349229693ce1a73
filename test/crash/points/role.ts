import { flushCompileCache } from 'node:module';
import { testMasterKey, testSigningKey } from '../../support/signing-key.js';
import { loadConfiguration } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { CrashEngine } from './engine.js';
import { recordEventStore } from './event-store-points.js';
import { recordEngine, recordPorts } from './port-points.js';
import { Recorder, type Order } from './recorder.js';
import { StatementPoints } from './statement-points.js';

/**
 * One role of the service in a process of its own, wired as its `main.ts` wires it, with its ports watched. It
 * loads, and waits for the order to start: a loaded successor takes over at once.
 */
const [, , role = ''] = process.argv;
const { DATABASE_URL: databaseUrl = '', CRASH_FOLDER: directory = '', LOG_LEVEL: level } = process.env;
const settings = {
  orphanHorizonMs: Number(process.env['CRASH_HORIZON_MS']),
  sweepIntervalMs: 200,
  takeOverPollMs: 50,
};
const impatience = { heartbeatSeconds: 2, superviseSeconds: 1 };

const logger = createLogger(role, level ?? 'silent');
const recorder = new Recorder(role);
const statements = new StatementPoints(recorder);
recordEventStore(recorder, (consumer) => statements.delivered(consumer));
recordPorts(recorder);
statements.install();

const storage = { kind: 'folder', directory, signingSecret: 'for tests only' } as const;

const starts: Record<string, () => Promise<() => Promise<object>>> = {
  async api() {
    const { createApi } = await import('../../../apps/api/src/create-api.js');
    return async () => {
      const variables = {
        DATABASE_URL: databaseUrl,
        URL_SIGNING_SECRET: 'for tests only',
        ATELIER_SIGNING_KEY: testSigningKey,
        ATELIER_MASTER_KEY: testMasterKey,
      };
      const configuration = { ...loadConfiguration(variables), storage };
      const api = await createApi({ configuration, logger });
      await api.listen(0, '127.0.0.1');
      return { port: (api.getHttpServer().address() as { port: number }).port };
    };
  },
  async worker() {
    const { configurationOn, startWorker } = await import('../../support/roles.js');
    const common = await commonOf();
    const engine = recordEngine(recorder, new CrashEngine());
    return async () => {
      const queue = await common.PgBossRenderQueue.start({ url: databaseUrl, logger, ...impatience });
      const { store } = await common.open();
      const { id } = await startWorker({
        store,
        queue,
        logger,
        engine,
        configuration: configurationOn(databaseUrl, { workerConcurrency: 2 }),
        storage: await common.openStorage({ storage, publicUrl: 'http://127.0.0.1' }),
      });
      return { id };
    };
  },
  async projector() {
    const { configurationOn, startProjector } = await import('../../support/roles.js');
    const common = await commonOf();
    return async () => {
      const { store, snapshots, erasure } = await common.open();
      const queue = await common.PgBossRenderQueue.start({ url: databaseUrl, logger, ...impatience });
      const configuration = configurationOn(databaseUrl);
      const projector = { ...configuration.projector, ...settings };
      await startProjector({
        store,
        snapshots,
        erasure,
        queue,
        logger,
        configuration: { ...configuration, projector, storage },
      });
      return {};
    };
  },
};

async function commonOf() {
  const [{ openLog }, { openStorage }, { PgBossRenderQueue }] = await Promise.all([
    import('./log.js'),
    import('#adapters/object-storage.module.js'),
    import('#render-queue/pg-boss-render-queue.js'),
  ]);
  return { open: () => openLog(databaseUrl), openStorage, PgBossRenderQueue };
}

const load = starts[role];
if (!load) throw new Error(`there is no role ${role}`);
process.on('disconnect', () => process.exit(0));
const start = await load();
process.on('message', (message: { type: 'start' } | ({ type: 'follow' } & Order)) => {
  if (message.type === 'follow') {
    statements.forget();
    recorder.follow(message);
    process.send?.({ type: 'following' });
    return;
  }
  start().then(
    (facts) => process.send?.({ type: 'ready', ...facts }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
// A killed process writes no cache at its end, so this one writes it now; the next one loads faster.
flushCompileCache();
process.send?.({ type: 'loaded' });
