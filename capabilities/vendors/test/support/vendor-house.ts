import { testKeys } from '../../../../test/support/signing-key.js';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { openEngines } from '#adapters/engines.module.js';
import { readForwards } from '#application/aggregate.js';
import type { DomainEvent, DomainEventType, EventOfType } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { streamName } from '#domain/streams.js';
import { openEventStore } from '#event-store/open-event-store.js';
import type { Configuration } from '#platform/configuration.js';
import { newId } from '#platform/ids.js';
import { sandboxModel, type ImageModel, type ModelList } from '#platform/image-models.js';
import { createLogger } from '#platform/logger.js';
import { countRequestIn } from '#read-store/rate-limit-store.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import type { Answer, ApiClient } from '../../../../test/api/support/api-client.js';
import { ApiService, type Tenant } from '../../../../test/api/support/api-service.js';
import { eventually } from '../../../../test/support/eventually.js';
import { configurationOn, startProjector, startWorker } from '../../../../test/support/roles.js';

const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');

const { VENDOR_KEY: _, ...environment } = process.env;
process.env = { ...environment, VENDOR_KEY: 'sk-vendor-secret' };

/** A model of the registry that also draws for test keys. Its time limit allows for a busy machine. */
export function vendorModelOf(
  id: string,
  family: string,
  endpoint: string,
  more: Partial<ImageModel> = {},
): ImageModel {
  return {
    ...sandboxModel,
    id,
    family,
    endpoint,
    secret_env: 'VENDOR_KEY',
    max_inputs: 16,
    test_keys: 'vendor',
    price_per_picture: 0.04,
    price_per_reading: 0.01,
    ...more,
  };
}

/** Time for a hundred jobs on a busy machine. It is used up only if something is broken. */
export const manyJobsMs = 5 * 60_000;

/** The job's detail and events after its end. */
export interface EndedJob {
  readonly jobId: string;
  readonly detail: Record<string, unknown> & {
    status: string;
    credits_cost: number;
    error: { code: string; message: string } | null;
    result: {
      artifacts: {
        image_url: string;
        thumbnails: Record<string, string>;
        kind: string;
        meta: Record<string, unknown>;
      }[];
    } | null;
  };
  readonly events: { event_type: string; stage: string }[];
}

/**
 * The service with the models of a spec: its API on a socket, a projector and a worker, each made as its
 * process makes it, on a database of their own. Keys are of the test environment, whose pictures are marked.
 */
export class VendorHouse implements AsyncDisposable {
  private constructor(
    readonly service: ApiService,
    private readonly cleanups: AsyncDisposableStack,
    readonly storage: FolderStorage,
    private readonly patienceMs: number,
  ) {}

  private opened: ApiClient | undefined;

  static async open(patienceMs = manyJobsMs): Promise<VendorHouse> {
    const cleanups = new AsyncDisposableStack();
    const service = cleanups.use(await ApiService.start({ projector: false }));
    const storage = new FolderStorage({
      directory: join(service.folder, 'objects'),
      signingSecret: 'a secret of tests',
      publicUrl: 'http://127.0.0.1',
    });
    return new VendorHouse(service, cleanups, storage, patienceMs);
  }

  get api(): ApiClient {
    if (!this.opened) throw new Error('the roles are not started yet');
    return this.opened;
  }

  openTenant(): Promise<Tenant> {
    return this.service.openTenant({ credits: 10_000, environment: 'test' });
  }

  /** @param more of the configuration of projector and worker */
  async startRoles(
    list: Pick<ModelList, 'models'> & Partial<ModelList>,
    more: Partial<Configuration> = {},
  ): Promise<void> {
    const { service, cleanups, storage } = this;
    const imageModels = { currency: 'USD', workflow_models: {}, tenant_models: {}, ...list };
    const url = service.databaseUrl;
    // Enough that waiting side by side saves time, and few enough that the store keeps up on a busy machine.
    const configuration = configurationOn(url, { imageModels, remoteConcurrency: 16, ...more });
    const events = await openEventStore({ eventStoreUrl: url, databaseUrl: url }, { ...testKeys });
    cleanups.defer(() => events.close());
    const { store, snapshots } = events;
    const queues = [];
    for (let index = 0; index < 2; index++)
      queues.push(await PgBossRenderQueue.start({ url, logger, heartbeatSeconds: 120 }));
    const [queue, workersQueue] = queues as [PgBossRenderQueue, PgBossRenderQueue];
    const projector = await startProjector({ configuration, logger, store, snapshots, queue });
    cleanups.defer(async () => {
      await projector.stop();
      await queue.stop(0);
    });
    const { places, database } = workersQueue;
    const engine = openEngines(imageModels, {
      places,
      logger,
      observer: undefined,
      countCall: (model, perMinute) => countRequestIn(database, `image-model ${model}`, perMinute),
    });
    const worker = await startWorker({ configuration, logger, store, storage, queue: workersQueue, engine });
    cleanups.defer(() => worker.stop(0));
    this.opened = await service.openApi(url, { imageModels });
  }

  /**
   * Repeats a request until the service has its stores: on a busy machine a connection to them can take longer
   * than the service waits.
   */
  answered(ask: () => Promise<Answer>): Promise<Answer> {
    return eventually(async () => {
      const answer = await ask();
      return answer.status !== 503 && answer;
    }, this.patienceMs);
  }

  /** Dispatches a job, and waits for its end. */
  async run({ key }: Tenant, workflow: string, body: object): Promise<EndedJob> {
    const once = { 'idempotency-key': newId() };
    const accepted = await this.answered(() => this.api.post(`/v1/${workflow}`, key, body, once));
    if (accepted.status !== 202)
      throw new Error(`${workflow}: ${accepted.status} ${JSON.stringify(accepted.body)}`);
    return this.ended(key, accepted.body.job_id as string);
  }

  private async ended(key: string, jobId: string): Promise<EndedJob> {
    const detail = await eventually(async () => {
      const { body } = await this.api.get(`/v1/jobs/${jobId}`, key);
      if (['SUCCESS', 'FAILURE'].includes(body.status as string)) return body as EndedJob['detail'];
      // Constant looks at a hundred jobs would leave no time for drawing them.
      await sleep(500);
      return false;
    }, this.patienceMs);
    const events = await eventually(async () => {
      const { body } = await this.api.get(`/v1/jobs/${jobId}/events`, key);
      const told = body.events as EndedJob['events'] | undefined;
      return ['succeeded', 'failed'].includes(told?.at(-1)?.event_type ?? '') && (told ?? []);
    });
    return { jobId, detail, events };
  }

  find<Type extends DomainEventType>(jobId: string, type: Type): Promise<EventOfType<Type>['data'][]> {
    return this.eventsOf('job', jobId, type);
  }

  async types(jobId: string): Promise<string[]> {
    return (await this.all('job', jobId)).map(({ type }) => type);
  }

  /** The credits that a job cost its tenant for good, once its charge is closed. */
  async charged(tenant: Tenant, { detail }: EndedJob): Promise<number> {
    const requestId = detail['request_id'];
    const closed = async () => {
      const refunds = await this.eventsOf('account', tenant.id, 'CreditsRefunded');
      const settled = await this.eventsOf('account', tenant.id, 'CreditsSettled');
      const refund = refunds.find(({ chargeId }) => chargeId === requestId);
      if (!refund && settled.every(({ chargeId }) => chargeId !== requestId)) return false;
      return { credits: detail.credits_cost - (refund?.amount ?? 0) };
    };
    return (await eventually(closed)).credits;
  }

  private async eventsOf<Type extends DomainEventType>(category: 'job' | 'account', id: string, type: Type) {
    const found = (await this.all(category, id)).filter((event) => event.type === type);
    // TypeScript does not see that the filter leaves only events of this type.
    return found.map(({ data }) => data as EventOfType<Type>['data']);
  }

  all(category: 'job' | 'account', id: string): Promise<DomainEvent[]> {
    // On a busy machine the store may not answer in time, and reading again does no harm.
    return eventually(async () => {
      const events: DomainEvent[] = [];
      for await (const page of readForwards(this.service.store, streamName('test', category, id), 0n))
        events.push(...page.map(decode));
      return events;
    });
  }

  async download(url: string): Promise<Buffer> {
    const answer = await eventually(async () => {
      const found = await fetch(url);
      return found.status !== 503 && found;
    }, this.patienceMs);
    if (!answer.ok) throw new Error(`the picture's URL answered ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** @returns the ids by which bodies name an uploaded picture */
  async upload({ key }: Tenant, bytes: Buffer): Promise<{ asset_id: string; upload_key: string }> {
    const { body } = await this.answered(() => this.api.upload(key, new Uint8Array(bytes)));
    return body as { asset_id: string; upload_key: string };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanups.disposeAsync();
  }
}

/** A small picture, because each call decodes it. Its ratio is 2:3. */
export async function photo(colour: string): Promise<Buffer> {
  const art = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="300"><rect width="100%" height="100%" fill="#eee"/><rect x="50" y="50" width="100" height="200" fill="${colour}"/></svg>`;
  return sharp(Buffer.from(art)).png().toBuffer();
}
