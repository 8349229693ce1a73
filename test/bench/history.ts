import { v7 as newEventId } from 'uuid';
import type { DomainEvent } from '#domain/events.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { streamName, type StreamCategory } from '#domain/streams.js';
import { currentSchemaVersion } from '#domain/stored-events.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';

const tenants = 20;
/** Jobs that run at the same time; it sets how far apart the events of one job lie in the log. */
const together = 500;
const cost = 5;

/**
 * Writes the events of finished jobs of some tenants. Each job has nine: its charge, its own five events, its
 * two pictures and the settlement.
 */
export async function seedHistory(store: EventStore, jobs: number): Promise<void> {
  const log = new Log(store);
  const houses = Array.from({ length: tenants }, () => newId());
  for (const tenant of houses) {
    const terms = { plan: 'bench', dailySpendCapCredits: 0, monthlyCreditQuota: 0, rateLimitPerMin: 1_000 };
    const purchase = { purchaseId: newId(), kind: 'pack' as const, amount: jobs * cost, label: 'Bench' };
    await log.append(tenant, 'account', tenant, [
      { type: 'AccountOpened', data: { ...terms, tenant, name: 'Bench', at: now() } },
      { type: 'CreditsPurchased', data: { ...purchase, at: now() } },
    ]);
  }
  for (let done = 0; done < jobs; done += together) {
    const lives = Array.from({ length: Math.min(together, jobs - done) }, (_, n) =>
      life(houses[n % tenants]!),
    );
    for (const step of ['debit', 'queue', 'start', 'pose', 'succeed', 'settle'] as const) {
      await Promise.all([
        ...houses.map((tenant) => {
          const events = lives
            .filter((each) => each.tenant === tenant)
            .flatMap((each) => each.account[step] ?? []);
          return log.append(tenant, 'account', tenant, events);
        }),
        ...lives.flatMap(({ tenant, jobId, job, pictures }) => [
          ...(pictures[step] ?? []).map((event) => log.append(tenant, 'asset', event.data.assetId, [event])),
          log.append(tenant, 'job', jobId, job[step] ?? []),
        ]),
      ]);
    }
  }
}

type Step = 'debit' | 'queue' | 'start' | 'pose' | 'succeed' | 'settle';
type Stored = Extract<DomainEvent, { type: 'AssetStored' }>;

interface Life {
  readonly tenant: string;
  readonly jobId: string;
  readonly account: Partial<Record<Step, DomainEvent[]>>;
  readonly job: Partial<Record<Step, DomainEvent[]>>;
  readonly pictures: Partial<Record<Step, Stored[]>>;
}

function life(tenant: string): Life {
  const [jobId, requestId] = [newId(), newId()];
  const operation = 'model-generator';
  const charge = { chargeId: requestId, jobId, amount: cost };
  const [sketch, final] = [picture(tenant, 'intermediate'), picture(tenant, 'final')];
  const provenance = {
    engine: 'sketch',
    model: 'sketch-1',
    seed: 7,
    attempt: 1,
    renderMs: 900,
    inputHashes: [],
  };
  const queued = {
    jobId,
    tenant,
    requestId,
    chargeId: requestId,
    operation,
    jobType: 'MODEL_GENERATOR',
    creditsCost: cost,
    displayName: 'Asha',
    request: { gender: 'FEMALE', seed: 7 },
    inputs: [],
    seed: 7,
    parentJobId: null,
  };
  const endpoint = '/v1/model-generator';
  return {
    tenant,
    jobId,
    account: {
      debit: [{ type: 'CreditsDebited', data: { ...charge, requestId, operation, endpoint, at: now() } }],
      settle: [{ type: 'CreditsSettled', data: { ...charge, at: now() } }],
    },
    job: {
      queue: [{ type: 'JobQueued', data: { ...queued, at: now() } }],
      start: [{ type: 'RenderStarted', data: { attempt: 1, worker: 'bench', at: now() } }],
      pose: [
        {
          type: 'StageCompleted',
          data: { stage: 'pose', message: 'Posed.', artifacts: [sketch], at: now() },
        },
      ],
      succeed: [
        { type: 'StageCompleted', data: { stage: 'light', message: 'Lit.', artifacts: [], at: now() } },
        { type: 'JobSucceeded', data: { message: 'Finished.', artifacts: [final], provenance, at: now() } },
      ],
    },
    pictures: { pose: [stored(tenant, jobId, sketch)], succeed: [stored(tenant, jobId, final)] },
  };
}

function picture(tenant: string, role: JobArtifact['role']): JobArtifact {
  const assetId = newId();
  const storageKey = `live/${tenant}/renders/${assetId}.png`;
  const size = { contentType: 'image/png', width: 1024, height: 1536, sha256: 'ab'.repeat(32) };
  return {
    assetId,
    storageKey,
    ...size,
    kind: 'model_portrait',
    role,
    label: 'Portrait',
    meta: { crop: 'full' },
  };
}

function stored(tenant: string, jobId: string, { assetId, storageKey, ...rest }: JobArtifact): Stored {
  const { contentType, width, height, sha256 } = rest;
  const data = { assetId, tenant, storageKey, contentType, width, height, sha256, sizeBytes: 900_000 };
  return { type: 'AssetStored', data: { ...data, origin: 'render', jobId, at: now() } };
}

function now(): string {
  return new Date().toISOString();
}

/** Appends to streams that have no other writer, so their revisions are known. */
class Log {
  private readonly revisions = new Map<string, bigint>();

  constructor(private readonly store: EventStore) {}

  async append(
    tenant: string,
    category: StreamCategory,
    id: string,
    events: readonly DomainEvent[],
  ): Promise<void> {
    if (events.length === 0) return;
    const stream = streamName('live', category, id);
    const proposed = events.map(({ type, data }) => ({
      id: newEventId(),
      type,
      data,
      metadata: {
        requestId: id,
        causationId: id,
        tenant,
        actor: 'operator',
        schemaVersion: currentSchemaVersion(type),
        recordedAt: now(),
      },
    }));
    const done = await this.store.append(stream, this.revisions.get(stream) ?? 'no-stream', proposed);
    if (done.outcome !== 'appended') throw new Error(`${stream}: ${done.outcome}`);
    this.revisions.set(stream, done.revision);
  }
}
