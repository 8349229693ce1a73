import { Inject, Injectable } from '@nestjs/common';
import { isId, timeOfId } from '#platform/ids.js';
import type { Environment, StreamCategory } from '#domain/streams.js';
import { Configuration } from '#platform/configuration.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { RecordMacs, type RecordSecrets } from './record-macs.js';
import type { RequestedErasure } from './erasure.js';
import { describedPictures, type Extent } from './extent.js';
import type { Erasures } from './manage-erasures.handler.js';

/** An erasure as it is known outside the database. It has ids only. */
export interface KeptErasure {
  readonly format: 'atelier erasure 1';
  readonly environment: Environment;
  readonly request: RequestedErasure;
  readonly pictures: readonly string[];
  readonly jobs: readonly string[];
  /** By job of which only the words are erased: the pictures that stay. Absent: none, or an earlier release wrote it. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  readonly products: readonly string[];
  /** By id: the category of the record's stream. */
  readonly records: Readonly<Record<string, StreamCategory>>;
  /** By job and product that stay: the erased pictures that they show. */
  readonly jobsShowing: Readonly<Record<string, readonly string[]>>;
  readonly productsShowing: Readonly<Record<string, readonly string[]>>;
}

export interface ComparedErasures {
  /** The log was restored from before them. */
  readonly unknown: readonly string[];
  /** The position of the last erasure that was ordered again. */
  readonly againTo: bigint | undefined;
}

export type KeptAs = 'begun' | 'completed';

const dayMs = 24 * 60 * 60_000;

/** How many streams are looked for at the same time. */
const looksAtATime = 16;

const folderOf = (environment: Environment) => `erasures/${environment}/`;

/**
 * Records of erasures beside the pictures, where a restore of the database does not take them back. Each is written only if
 * it is absent: once when the erasure begins, and once with all that it reached.
 */
@Injectable()
export class KeptErasures {
  private readonly macs: RecordMacs<KeptErasure>;

  constructor(
    private readonly storage: ObjectStorage,
    @Inject(Configuration) configuration: RecordSecrets,
  ) {
    this.macs = new RecordMacs(configuration);
  }

  async keep(environment: Environment, request: RequestedErasure, extent: Extent, as: KeptAs): Promise<void> {
    const kept: KeptErasure = {
      format: 'atelier erasure 1',
      environment,
      request,
      pictures: [...extent.pictures.keys()],
      jobs: [...extent.jobs.keys()],
      ...(extent.words.size > 0 && { words: describedPictures(extent) }),
      products: [...extent.products],
      records: Object.fromEntries(extent.records),
      jobsShowing: Object.fromEntries(extent.jobsShowing),
      productsShowing: Object.fromEntries(extent.productsShowing),
    };
    const key = keyOf(environment, request.erasureId, as);
    await this.storage.create(key, Buffer.from(this.macs.signed(kept)), 'application/json');
  }

  /** The ids of the erasures that were requested since then. */
  private async since(environment: Environment, from: Date): Promise<string[]> {
    const keys = await this.storage.list(folderOf(environment));
    const ids = keys.map((key) => key.slice(folderOf(environment).length).split('.', 1)[0] ?? '');
    return [...new Set(ids)].filter((id) => isId(id) && timeOfId(id) >= from.getTime());
  }

  /**
   * Compares the kept erasures with the log.
   * @param days how far back a backup can reach
   */
  async compareWith(
    erasures: Erasures,
    environment: Environment,
    { now, days }: { readonly now: Date; readonly days: number },
  ): Promise<ComparedErasures> {
    // An older backup is gone, as the operator states.
    const ids = await this.since(environment, new Date(now.getTime() - (days + 1) * dayMs));
    const unknown: string[] = [];
    let againTo: bigint | undefined;
    for (let start = 0; start < ids.length; start += looksAtATime) {
      const some = ids.slice(start, start + looksAtATime);
      const orders = await Promise.all(some.map((id) => erasures.orderOf(environment, id)));
      for (const [index, order] of orders.entries()) {
        if (!order) unknown.push(some[index]!);
        else if (order.again && order.position > (againTo ?? -1n)) againTo = order.position;
      }
    }
    return { unknown, againTo };
  }

  /**
   * The last record of the erasure. Undefined: this service did not write it.
   * @throws ObjectNotFound
   */
  async read(environment: Environment, erasureId: string): Promise<KeptErasure | undefined> {
    const completed = keyOf(environment, erasureId, 'completed');
    const key = (await this.storage.has(completed)) ? completed : keyOf(environment, erasureId, 'begun');
    const kept = this.macs.verified((await this.storage.get(key)).toString());
    if (kept?.environment !== environment || kept.request.erasureId !== erasureId) return undefined;
    if (kept.format !== 'atelier erasure 1')
      throw new Error(`${key} in object storage is no record of an erasure of this release`);
    return kept;
  }
}

function keyOf(environment: Environment, erasureId: string, as: KeptAs): string {
  return `${folderOf(environment)}${erasureId}.${as}.json`;
}
