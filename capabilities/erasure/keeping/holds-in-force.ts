import { Injectable } from '@nestjs/common';
import { load, type Aggregate } from '#application/aggregate.js';
import { ErasableThings } from '#application/erasure/erasable-things.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import type { Extent } from '../extent.js';
import type { LegalHoldEvent } from '../keeping.events.js';
import { evolveHolds, initialHolds, type LegalHold, type LegalHolds } from './legal-hold.js';

export const holdsAggregate: Aggregate<LegalHolds, LegalHoldEvent> = {
  initial: initialHolds,
  evolve: evolveHolds,
};

interface Owner {
  readonly environment: Environment;
  readonly tenant: string;
}

/**
 * Finds the hold that covers a thing. A person's hold covers all that belongs to the person. A job's hold covers the job and the
 * photographs of its batch, their pictures, and the pictures that they were ordered with.
 */
@Injectable()
export class HoldsInForce {
  constructor(
    private readonly store: EventStore,
    private readonly things: ErasableThings,
  ) {}

  async of({ environment, tenant }: Owner): Promise<LegalHolds> {
    return (await load(this.store, streamName(environment, 'hold', tenant), holdsAggregate)).state;
  }

  /**
   * A hold that covers a part of the extent, or one of the persons. Without holds the extent is not looked for.
   * @param persons whose records of other capabilities are in the extent
   */
  async covering(
    owner: Owner,
    extentOf: () => Promise<Extent>,
    persons: readonly string[] = [],
  ): Promise<LegalHold | undefined> {
    const holds = await this.of(owner);
    if (holds.length === 0) return undefined;
    const covered = await this.coveredBy(owner, holds);
    const onPerson = covered.ofPersons(persons);
    if (onPerson) return onPerson;
    const { pictures, jobs, words, products } = await extentOf();
    for (const job of [...jobs.values(), ...words.values()]) {
      const hold = covered.things.get(job.jobId) ?? covered.ofPersons(job.dataSubjects);
      if (hold) return hold;
    }
    for (const assetId of pictures.keys()) {
      const picture = await this.things.picture(owner, assetId);
      const jobId = picture?.jobId ?? null;
      const maker = jobId === null ? undefined : await this.things.job(owner, jobId);
      const persons = [...(picture?.dataSubjects ?? []), ...(maker?.dataSubjects ?? [])];
      const hold =
        covered.things.get(assetId) ??
        (jobId === null ? undefined : covered.things.get(jobId)) ??
        covered.ofPersons(persons);
      if (hold) return hold;
    }
    for (const productId of products) {
      const product = await this.things.product(owner, productId);
      const hold = product && covered.ofPersons(product.dataSubjects);
      if (hold) return hold;
    }
    return undefined;
  }

  private async coveredBy(owner: Owner, holds: LegalHolds) {
    const things = new Map<string, LegalHold>();
    for (const hold of holds) {
      if (hold.jobId === null) continue;
      const job = await this.things.job(owner, hold.jobId);
      const ids = [hold.jobId, ...(job?.childJobIds ?? []), ...(job?.inputIds ?? [])];
      for (const id of ids) things.set(id, hold);
    }
    const ofPersons = (names: readonly string[]) =>
      holds.find(({ dataSubject }) => dataSubject !== null && names.includes(dataSubject));
    return { things, ofPersons };
  }
}
