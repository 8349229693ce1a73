import type { ReadModels } from '#application/read-models.js';
import type { ErasureOrderRow } from '#capabilities/erasure/erasure-orders.read-model.js';
import type { DueThings, DueThing } from '#capabilities/erasure/keeping/due-things.js';
import type { KeptThingRow, LegalHoldRow } from '#capabilities/erasure/keeping/keeping.read-models.js';
import type { PictureUseRow } from '#capabilities/erasure/picture-uses.read-model.js';
import { ReachedReads } from '#capabilities/erasure/reached-reads.js';
import type { ReleasesReader, WaitingJob } from '#capabilities/releases/releases.reader.js';
import type { ReleaseRow } from '#capabilities/releases/releases.read-model.js';
import type { ReleaseUseRow } from '#capabilities/releases/release-uses.read-model.js';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { AssetRow } from '#projections/assets/assets.read-model.js';
import type { JobRow } from '#projections/jobs/jobs.read-model.js';
import type { ProductRow } from '#projections/products/products.read-model.js';
import type { Database } from '#read-store/database.js';
import { columnsOf } from '#read-store/entity-table.js';
import { environment, type Installation } from '../installation.js';
import type { Process } from '../kernel/scheduler.js';
import { simulatedModels } from './tables.js';

const lookAgainMs = 20;
const hourMs = 3_600_000;

/** Answers the queries of erasures and releases to PostgreSQL, from the tables that all processes share. */
export class SimulatedReads {
  constructor(
    private readonly installation: Installation,
    private readonly process: Process,
  ) {}

  /** The reads that erasures need. */
  get models(): ReadModels {
    const assets = {
      ofJobs: async (tenant: string, jobIds: readonly string[]) =>
        (await this.rows<AssetRow>('assets')).filter(
          (asset) => asset.tenant === tenant && asset.jobId !== null && jobIds.includes(asset.jobId),
        ),
      leftOfErasedJobs: async (since: Date) => {
        const jobs = new Map((await this.rows<JobRow>('jobs')).map((job) => [job.publicId, job]));
        return this.now<AssetRow>('assets').filter(({ jobId, erasedAt, createdAt }) => {
          const jobErasedAt = jobId === null ? null : (jobs.get(jobId)?.erasedAt ?? null);
          if (jobErasedAt === null || erasedAt !== null || jobErasedAt < since) return false;
          return createdAt.getTime() > jobErasedAt.getTime() - hourMs;
        });
      },
    };
    const jobs = {
      cancelledAndErased: async (since: Date) =>
        (await this.rows<JobRow>('jobs')).filter(({ erasedAt, error, finishedAt }) => {
          if (erasedAt === null || erasedAt < since || error?.code !== 'CANCELLED') return false;
          return finishedAt !== null && finishedAt.getTime() > erasedAt.getTime() - hourMs;
        }),
    };
    const products = {
      showing: async (tenant: string, assetIds: readonly string[]) =>
        (await this.rows<ProductRow>('products')).filter(
          (product) =>
            product.tenant === tenant && product.images.some(({ assetId }) => assetIds.includes(assetId)),
        ),
    };
    const dataSubjects = {
      things: async (tenant: string, name: string, { kind }: { kind: 'uploads' | 'products' | 'jobs' }) => {
        const [model, id] = thingsOf[kind];
        const rows = await this.rows<Belonging>(model);
        return rows
          .filter((row) => row.tenant === tenant && row.dataSubjects?.includes(name))
          .map((row) => String(row[id]))
          .toSorted();
      },
    };
    // Nothing else is read here.
    return { of: () => ({ assets, jobs, products, dataSubjects }) } as unknown as ReadModels;
  }

  /** The statements that go to the database without a reader. */
  get database(): Database {
    return { query: async (text, values = []) => ({ rows: await this.answer(text, values) }) };
  }

  /** Waits for the read models in simulated time. */
  reached(store: EventStore): ReachedReads {
    const { comparesRowsWithLog } = this.installation.wiring;
    const folded = (withinMs: number, position: bigint) => this.foldedWithin(withinMs, position);
    return new SimulatedReached(store, this.database, folded, comparesRowsWithLog);
  }

  /** Things that are due by their own `retain_days`. Tenants have no rules here. */
  get due(): DueThings {
    const byOwnEnd = async (_environment: string, now: Date): Promise<DueThing[]> => {
      const kept = await this.rows<KeptThingRow>('kept_things');
      const ordered = new Set(this.now<{ thingId: string }>('expiry_orders').map(({ thingId }) => thingId));
      return kept
        .flatMap((row) => (row.ownEnd !== null && row.ownEnd <= now ? [{ ...row, endsAt: row.ownEnd }] : []))
        .filter(({ thingId }) => !ordered.has(thingId))
        .filter((thing) => this.isFree(thing, kept))
        .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    };
    const none = () => Promise.resolve([]);
    return { byOwnEnd, byRule: none, ending: none } as unknown as DueThings;
  }

  /** @param onMissed called with a release whose waiting jobs may not be among those that are found */
  releases(onMissed: (releaseId: string) => void): ReleasesReader {
    const waiting = async (_environment: string, releaseId: string, position: bigint) => {
      if (!(await this.foldedWithin(2_000, position))) onMissed(releaseId);
      const uses = await this.rows<ReleaseUseRow>('release_uses');
      return this.waitingJobs(uses.filter((use) => use.releaseId === releaseId));
    };
    const leftBehind = async () => {
      const releases = await this.rows<ReleaseRow>('releases');
      const ended = new Set(releases.filter(({ status }) => status !== 'active').map((row) => row.releaseId));
      const uses = this.now<ReleaseUseRow>('release_uses');
      return this.waitingJobs(uses.filter(({ releaseId }) => ended.has(releaseId)));
    };
    const due = async (_environment: string, now: Date) =>
      (await this.rows<ReleaseRow>('releases')).filter(
        ({ status, expiresAt }) => status === 'active' && expiresAt !== null && expiresAt <= now,
      );
    return { waiting, leftBehind, due } as unknown as ReleasesReader;
  }

  private waitingJobs(uses: readonly ReleaseUseRow[]): WaitingJob[] {
    const used = new Set(uses.map(({ jobId }) => jobId));
    return this.now<JobRow>('jobs')
      .filter(({ publicId, status }) => status === 'NOT_STARTED' && used.has(publicId))
      .map(({ publicId: jobId, tenant, operation }) => ({ jobId, tenant, operation }))
      .toSorted((one, other) => (one.jobId < other.jobId ? -1 : 1));
  }

  private async foldedWithin(withinMs: number, position: bigint): Promise<boolean> {
    const { scheduler, tables } = this.installation;
    for (const until = scheduler.now + withinMs; ; await scheduler.after(this.process, lookAgainMs)) {
      await scheduler.turn(this.process);
      if (tables.position >= position) return true;
      if (scheduler.now >= until) return false;
    }
  }

  /** The rule of `isFree` in the statements of expiry: the job has ended, and no hold covers the thing. */
  private isFree({ tenant, thingId, jobId }: KeptThingRow, kept: readonly KeptThingRow[]): boolean {
    if (kept.some((row) => row.category === 'job' && row.thingId === jobId && row.since === null))
      return false;
    const job = this.now<JobRow>('jobs').find(({ publicId }) => publicId === jobId);
    const asset = this.now<AssetRow>('assets').find(({ assetId }) => assetId === thingId);
    const product = this.now<ProductRow>('products').find(({ productId }) => productId === thingId);
    const usedBy = this.now<PictureUseRow>('picture_uses').filter(({ assetId }) => assetId === thingId);
    const persons = [job, asset, product].flatMap((each) => each?.dataSubjects ?? []);
    return !this.now<LegalHoldRow>('legal_holds').some(
      (hold) =>
        hold.tenant === tenant &&
        (hold.jobId === null
          ? hold.dataSubject !== null && persons.includes(hold.dataSubject)
          : [jobId, job?.parentJobId, ...usedBy.map((use) => use.jobId)].includes(hold.jobId)),
    );
  }

  private async answer(text: string, values: readonly unknown[]): Promise<unknown[]> {
    const { scheduler, keys, deliveries, checkpoints } = this.installation;
    await scheduler.turn(this.process);
    // The parameters have these types in the statements that are known here.
    const [first, second] = values as [string, readonly string[]];
    if (text.includes('.picture_uses')) {
      const uses = this.now<PictureUseRow>('picture_uses').filter(
        ({ tenant, assetId }) => tenant === first && second.includes(assetId),
      );
      return [...new Set(uses.map(({ jobId }) => jobId))].map((jobId) => ({ job_id: jobId }));
    }
    if (text.includes('as halted'))
      return checkpoints.anchors
        .filter(({ consumer }) => consumer === 'projections')
        .map((anchor) => ({ ...anchor, halted: anchor.halted !== null }));
    if (text.includes('.idempotency_keys')) return keys.eraseBodies(first, second);
    if (text.includes('.webhook_deliveries')) {
      const ofJobs = [...deliveries.values()].filter(
        ({ tenant, body }) => tenant === first && second.includes(String(jobOfMessage(body))),
      );
      for (const { deliveryId } of ofJobs) deliveries.delete(deliveryId);
      return ofJobs;
    }
    if (text.includes('.erasure_orders')) {
      const [before] = values as [Date];
      return this.now<ErasureOrderRow>('erasure_orders')
        .filter(({ status, requestedAt }) => status === 'running' && requestedAt < before)
        .toSorted((one, other) => one.requestedAt.getTime() - other.requestedAt.getTime());
    }
    const asOf = /from (\w+)\.(releases|release_rules) shown where/.exec(text);
    if (asOf) return this.rowsAsOf(asOf[1] === environment ? asOf[2] : undefined);
    if (text.includes('.releases')) {
      const [tenant, name, after] = values as [string, string | null, string];
      return this.now<ReleaseRow>('releases')
        .filter((row) => row.tenant === tenant && (name === null || row.dataSubject === name))
        .filter(({ erasedAt, releaseId }) => erasedAt === null && releaseId > after)
        .map(({ releaseId }) => ({ release_id: releaseId }))
        .toSorted((one, other) => (one.release_id < other.release_id ? -1 : 1));
    }
    throw new Error(`the simulation does not know the statement ${text}`);
  }

  /** What `rowsAsOf` selects. @param model undefined: the other environment, which is empty */
  private rowsAsOf(model: string | undefined): unknown[] {
    const { position } = this.installation.tables;
    const all = model === undefined ? [] : this.now<Record<string, unknown>>(model);
    const entity = simulatedModels.find(({ name }) => name === model)?.entity;
    const columns = entity ? columnsOf(entity) : [];
    const rows = all
      .filter(({ status = 'active' }) => status === 'active')
      .map((row) => Object.fromEntries(columns.map(({ column, property }) => [column, row[property]])));
    return [{ position: position === 0n ? null : String(position), rows }];
  }

  private async rows<Row>(model: string): Promise<Row[]> {
    await this.installation.scheduler.turn(this.process);
    return this.now(model);
  }

  /** The caller knows the rows of its model. */
  private now<Row>(model: string): Row[] {
    return [...this.installation.tables.rowsOf(model).values()] as Row[];
  }
}

class SimulatedReached extends ReachedReads {
  constructor(
    store: EventStore,
    database: Database,
    private readonly foldedUpTo: (withinMs: number, position: bigint) => Promise<boolean>,
    private readonly comparesRowsWithLog: boolean,
  ) {
    super(store, database);
  }

  protected override folded(
    withinMs: number,
    _environment: Environment,
    _models: readonly string[],
    position = 0n,
  ): Promise<boolean> {
    return this.foldedUpTo(withinMs, position);
  }

  protected override async fitLog(environment: Environment, models: readonly string[]): Promise<boolean> {
    return !this.comparesRowsWithLog || super.fitLog(environment, models);
  }
}

interface Belonging extends Record<string, unknown> {
  readonly tenant: string;
  readonly dataSubjects: readonly string[] | null;
}

const thingsOf = {
  uploads: ['assets', 'assetId'],
  products: ['products', 'productId'],
  jobs: ['jobs', 'publicId'],
} as const;

function placeOf({ endsAt, thingId }: { readonly endsAt: Date; readonly thingId: string }): string {
  return `${endsAt.toISOString()} ${thingId}`;
}

/** The job that a message of a webhook names, if it names one. */
function jobOfMessage(body: string): unknown {
  return (JSON.parse(body) as { data?: { job_id?: unknown } }).data?.job_id;
}
