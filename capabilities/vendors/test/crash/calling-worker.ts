import { testKeys } from '../../../../test/support/signing-key.js';
import { readFileSync } from 'node:fs';
import { openEngines } from '#adapters/engines.module.js';
import { openEventStore } from '#event-store/open-event-store.js';
import type { EventStore } from '#event-store/event-store.js';
import type { ModelList } from '#platform/image-models.js';
import { createLogger } from '#platform/logger.js';
import { runRole } from '#platform/run-role.js';
import { countRequestIn } from '#read-store/rate-limit-store.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { configurationOn, startWorker } from '../../../../test/support/roles.js';

/*
 * A worker that dies during a call to a vendor. The plan names the point for each job, and the worker dies
 * there in the job's first attempt. It draws one job at a time, so that it takes no other job down with it.
 */

/** The point at which each job's first worker dies. */
export interface KillPlan {
  readonly databaseUrl: string;
  readonly directory: string;
  readonly models: ModelList;
  /** Silence after which a worker counts as dead. */
  readonly heartbeatSeconds: number;
  /** The point of death, by job. */
  readonly points: Readonly<Record<string, string>>;
}

// The spec has written it in this form.
const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as KillPlan;
let deadly: string | undefined;

async function through<Result>(what: string, go: () => Promise<Result>): Promise<Result> {
  const die = async (when: string) => {
    if (deadly !== `${when} ${what}`) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  };
  await die('before');
  const result = await go();
  await die('after');
  return result;
}

function watchedStore(store: EventStore): EventStore {
  const append: EventStore['append'] = (stream, expected, events) => {
    const [event] = events;
    if (event?.type === 'RenderStarted') {
      const { attempt } = event.data as { attempt: number };
      deadly = attempt === 1 ? plan.points[stream.split('job-')[1] ?? ''] : undefined;
    }
    return through(event?.type ?? 'nothing', () => store.append(stream, expected, events));
  };
  return new Proxy(store, { get: (of, name) => (name === 'append' ? append : memberOf(of, name)) });
}

function watchedStorage(storage: ObjectStorage): ObjectStorage {
  const put: ObjectStorage['put'] = (key, bytes, contentType) =>
    through(key.includes('/calls/') ? 'answer kept' : 'picture kept', () =>
      storage.put(key, bytes, contentType),
    );
  return new Proxy(storage, { get: (of, name) => (name === 'put' ? put : memberOf(of, name)) });
}

function memberOf(of: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(of, name);
  return typeof member === 'function' ? (member.bind(of) as unknown) : member;
}

/** The purpose of a request to a vendor. */
function purposeOf(url: string, method: string): string {
  if (method === 'POST') return url.includes('/upload/') ? 'upload' : 'submission';
  return /\/(?:status|history|queue)\b/.test(url) ? 'status' : 'result';
}

const { fetch: realFetch } = globalThis;
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  return through(purposeOf(url, init?.method ?? 'GET'), () => realFetch(input, init));
};

const { databaseUrl, directory, models, heartbeatSeconds } = plan;
const logger = createLogger('worker', 'silent');

await runRole(logger, async () => {
  const { store } = await openEventStore({ eventStoreUrl: databaseUrl, databaseUrl }, { ...testKeys });
  const queue = await PgBossRenderQueue.start({
    url: databaseUrl,
    logger,
    heartbeatSeconds,
    superviseSeconds: 1,
  });
  const storage = new FolderStorage({
    directory,
    signingSecret: 'for-tests-only',
    publicUrl: 'http://127.0.0.1',
  });
  const { places, database } = queue;
  return startWorker({
    store: watchedStore(store),
    storage: watchedStorage(storage),
    queue,
    logger,
    configuration: configurationOn(databaseUrl, { remoteConcurrency: 1, workerConcurrency: 1 }),
    engine: openEngines(models, {
      places,
      logger,
      observer: undefined,
      countCall: (model, perMinute) => countRequestIn(database, model, perMinute),
    }),
  });
});
