import { Injectable } from '@nestjs/common';
import {
  ErasableThings,
  type ErasableCall,
  type ErasableJob,
  type ErasablePicture,
} from '#application/erasure/erasable-things.js';
import { ReadModels } from '#application/read-models.js';
import type { Environment, StreamCategory } from '#domain/streams.js';
import { Database } from '#read-store/database.js';
import type { ErasureTarget } from './erasure.events.js';

/** All that one erasure reaches. */
export interface Extent {
  /** The pictures to erase, by id. */
  readonly pictures: ReadonlyMap<string, ErasablePicture>;
  /** The jobs whose words are erased, with all of their pictures. */
  readonly jobs: ReadonlyMap<string, ErasableJob>;
  /** Further jobs whose words are erased. Their pictures stay. */
  readonly words: ReadonlyMap<string, ErasableJob>;
  /** The products whose words are erased. */
  readonly products: ReadonlySet<string>;
  /** The records of capabilities that are erased: the category of each one's stream, by id. */
  readonly records: ReadonlyMap<string, StreamCategory>;
  /** By job and by product that stay: the erased pictures that they show. */
  readonly jobsShowing: ReadonlyMap<string, readonly string[]>;
  readonly productsShowing: ReadonlyMap<string, readonly string[]>;
  /** The calls that got data of the erased jobs. */
  readonly vendorCalls: readonly ErasableCall[];
}

interface Owner {
  readonly environment: Environment;
  readonly tenant: string;
}

/** Finds what belongs to the targets of an erasure. */
@Injectable()
export class Extents {
  constructor(
    private readonly things: ErasableThings,
    private readonly reads: ReadModels,
    private readonly database: Database,
  ) {}

  /** The first target that the owner does not have; undefined: all are there. */
  async missing(owner: Owner, targets: readonly ErasureTarget[]): Promise<ErasureTarget | undefined> {
    for (const target of targets) if (!(await this.has(owner, target))) return target;
    return undefined;
  }

  private async has(owner: Owner, { kind, id }: ErasureTarget): Promise<boolean> {
    switch (kind) {
      case 'picture':
        return (await this.things.picture(owner, id)) !== undefined;
      case 'upload':
        return (await this.things.picture(owner, id))?.origin === 'upload';
      case 'render':
        return (await this.things.job(owner, id))?.render !== undefined;
      case 'job':
      case 'words':
        return (await this.things.job(owner, id)) !== undefined;
      case 'product':
        return (await this.things.product(owner, id)) !== undefined;
      case 'record':
        // No caller names one: it was found as the person's.
        return true;
      default:
        return kind satisfies never;
    }
  }

  /** The size of an erasure as things are now; undefined: a target is unknown, or another tenant's. */
  async estimate(
    owner: Owner,
    asked: { readonly targets: readonly ErasureTarget[]; readonly derived: boolean },
  ) {
    if (await this.missing(owner, asked.targets)) return undefined;
    const extent = await this.of(owner, asked);
    const unfinished = [...extent.jobs.values()].filter(({ isUnfinished }) => isUnfinished);
    return { ...sizeOf(extent), unfinished_jobs: unfinished.length };
  }

  /**
   * Reads streams, and for what was made from a picture the read models: they must have reached the moment that the extent
   * is about. A job takes its pictures along, a batch its photographs, and with `derived` a picture the jobs that were
   * ordered with it, and a product its pictures.
   */
  async of(
    owner: Owner,
    { targets, derived }: { readonly targets: readonly ErasureTarget[]; readonly derived: boolean },
  ): Promise<Extent> {
    const pictures = new Map<string, ErasablePicture>();
    const jobs = new Map<string, ErasableJob>();
    const words = new Map<string, ErasableJob>();
    const products = new Set<string>();
    const records = new Map<string, StreamCategory>();
    const waiting = [...targets];
    const addPictures = async (found: readonly ErasablePicture[]) => {
      const fresh = found.filter(({ assetId }) => !pictures.has(assetId));
      for (const picture of fresh) pictures.set(picture.assetId, picture);
      if (!derived || fresh.length === 0) return;
      const users = await this.jobsWith(owner, fresh);
      waiting.push(...users.map((id): ErasureTarget => ({ kind: 'job', id })));
    };
    for (let target = waiting.shift(); target; target = waiting.shift()) {
      const { kind, id } = target;
      if (kind === 'upload' || kind === 'picture') {
        const picture = await this.things.picture(owner, id);
        if (picture) await addPictures([picture]);
      } else if (kind === 'product') {
        const product = await this.things.product(owner, id);
        if (!product) continue;
        products.add(id);
        if (derived) await addPictures(product.pictures);
      } else if (kind === 'record') {
        records.set(id, target.category);
      } else if (!jobs.has(id)) {
        const job = await this.things.job(owner, id);
        if (!job) continue;
        if (kind === 'words') {
          if (!job.isUnfinished) words.set(id, job);
          continue;
        }
        if (kind === 'render') {
          await addPictures(job.render ? [job.render] : []);
          continue;
        }
        jobs.set(id, job);
        waiting.push(...job.childJobIds.map((child): ErasureTarget => ({ kind: 'job', id: child })));
        const stored = await this.reads.of(owner.environment).assets.ofJobs(owner.tenant, [id]);
        await addPictures([...job.pictures, ...stored]);
      }
    }
    for (const id of jobs.keys()) words.delete(id);
    return {
      pictures,
      jobs,
      words,
      products,
      records,
      jobsShowing: await this.jobsShowing(owner, pictures, jobs),
      productsShowing: await this.productsShowing(owner, pictures, products),
      vendorCalls: [...jobs.values(), ...words.values()].flatMap(({ vendorCalls }) => vendorCalls),
    };
  }

  private async jobsWith(
    { environment, tenant }: Owner,
    pictures: readonly ErasablePicture[],
  ): Promise<string[]> {
    const { rows } = await this.database.query(
      `select distinct job_id from ${environment}.picture_uses where tenant = $1 and asset_id = any($2)`,
      [tenant, pictures.map(({ assetId }) => assetId)],
    );
    return (rows as { job_id: string }[]).map(({ job_id: id }) => id);
  }

  /** A picture is shown by the job that made it, by its batch, and by the other photographs of the batch. */
  private async jobsShowing(
    owner: Owner,
    pictures: ReadonlyMap<string, ErasablePicture>,
    erased: ReadonlyMap<string, ErasableJob>,
  ): Promise<Map<string, readonly string[]>> {
    const known = new Map<string, ErasableJob | undefined>(erased);
    const look = async (id: string) => {
      if (!known.has(id)) known.set(id, await this.things.job(owner, id));
      return known.get(id);
    };
    for (const { assetId } of pictures.values()) {
      const { jobId } = (await this.things.picture(owner, assetId)) ?? { jobId: null };
      const maker = jobId === null ? undefined : await look(jobId);
      const batch = maker?.parentJobId ? await look(maker.parentJobId) : maker;
      for (const child of batch?.childJobIds ?? []) await look(child);
    }
    const showing = [...known.values()].flatMap((job) => {
      if (!job || erased.has(job.jobId)) return [];
      const shown = job.pictures.map(({ assetId }) => assetId).filter((id) => pictures.has(id));
      return shown.length > 0 ? [[job.jobId, shown] as const] : [];
    });
    return new Map(showing);
  }

  private async productsShowing(
    { environment, tenant }: Owner,
    pictures: ReadonlyMap<string, ErasablePicture>,
    erased: ReadonlySet<string>,
  ): Promise<Map<string, readonly string[]>> {
    if (pictures.size === 0) return new Map();
    const found = await this.reads.of(environment).products.showing(tenant, [...pictures.keys()]);
    return new Map(
      found
        .filter(({ productId }) => !erased.has(productId))
        .map(({ productId, images }) => [
          productId,
          images.map(({ assetId }) => assetId).filter((id) => pictures.has(id)),
        ]),
    );
  }
}

/** How much of each kind, as answers and steps show it. */
export function sizeOf({ pictures, jobs, words, products, records }: Extent) {
  return {
    pictures: pictures.size,
    jobs: jobs.size + words.size,
    products: products.size,
    records: records.size,
  };
}

/** By job whose words are erased: the pictures that stay. Their descriptions are among the words. */
export function describedPictures({ pictures, words }: Extent): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...words].map(([jobId, job]) => [
      jobId,
      job.pictures.map(({ assetId }) => assetId).filter((id) => !pictures.has(id)),
    ]),
  );
}
