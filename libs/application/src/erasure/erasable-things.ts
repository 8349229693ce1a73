import { Injectable } from '@nestjs/common';
import type { JobEvent } from '#domain/job/job.events.js';
import { isUnfinished } from '#domain/job/job.js';
import { personsOf } from '#domain/product/product.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { load } from '../aggregate.js';
import { jobAggregate } from '../job/job-writes.handler.js';
import { assetAggregate, type Owner } from '../picture/stored-pictures.js';
import { productAggregate } from '../product/manage-products.handler.js';
import { jobEvents } from '../render/batch-grouping.js';

/** A stored picture. */
export interface ErasablePicture {
  readonly assetId: string;
  readonly storageKey: string;
}

interface OfPersons {
  /** The tenant's names of the persons whom it is about. */
  readonly dataSubjects: readonly string[];
}

export interface ErasableUpload extends ErasablePicture, OfPersons {
  readonly origin: 'upload' | 'render';
  /** The job that made it, where a job did. */
  readonly jobId: string | null;
  /** Where the credentials are that it arrived with. */
  readonly credentialsKey: string | undefined;
}

export interface ErasableJob extends OfPersons {
  readonly jobId: string;
  readonly isUnfinished: boolean;
  /** The pictures that its events name, intermediate and final, with those that its batch shares with it. */
  readonly pictures: readonly ErasablePicture[];
  /** The first final picture; undefined: it gave none. */
  readonly render: ErasablePicture | undefined;
  readonly parentJobId: string | null;
  /** The pictures that it was ordered with. */
  readonly inputIds: readonly string[];
  readonly childJobIds: readonly string[];
  readonly vendorCalls: readonly ErasableCall[];
}

/** A call that has sent data of a job to a vendor's image model. */
export interface ErasableCall {
  /** The family. */
  readonly vendor: string;
  readonly model: string;
  /** Undefined: the vendor gave the call no id, or the answer with it was lost. */
  readonly vendorRequestId: string | undefined;
}

export interface ErasableProduct extends OfPersons {
  readonly productId: string;
  readonly pictures: readonly ErasablePicture[];
}

/**
 * Pictures, jobs and products of an owner, as far as an erasure needs them. Each is read from its own stream, so it is as
 * it is now. Undefined: unknown, or another owner's.
 */
@Injectable()
export class ErasableThings {
  constructor(private readonly store: EventStore) {}

  async picture({ environment, tenant }: Owner, assetId: string): Promise<ErasableUpload | undefined> {
    const { state } = await load(this.store, streamName(environment, 'asset', assetId), assetAggregate);
    if (state?.tenant !== tenant) return undefined;
    const { storageKey, origin, jobId, credentials, dataSubjects = [] } = state;
    const credentialsKey = credentials?.kept?.storageKey;
    return { assetId, storageKey, origin, jobId, credentialsKey, dataSubjects };
  }

  async job({ environment, tenant }: Owner, jobId: string): Promise<ErasableJob | undefined> {
    const events = await jobEvents(this.store, environment, jobId);
    const state = events.reduce(jobAggregate.evolve, jobAggregate.initial);
    if (!('job' in state) || state.job.tenant !== tenant) return undefined;
    const results = events.flatMap((event) => (event.type === 'JobSucceeded' ? event.data.artifacts : []));
    const stages = events.flatMap((event) => (event.type === 'StageCompleted' ? event.data.artifacts : []));
    const pictures = new Map([...results, ...stages].map((artifact) => [artifact.assetId, artifact]));
    return {
      jobId,
      isUnfinished: isUnfinished(state),
      pictures: [...pictures.values()].map(({ assetId, storageKey }) => ({ assetId, storageKey })),
      render: results.find(({ role }) => role === 'final'),
      parentJobId: state.job.parentJobId,
      inputIds: state.job.inputs.map(({ assetId }) => assetId),
      dataSubjects: state.job.dataSubjects ?? [],
      childJobIds: state.job.childJobIds ?? [],
      vendorCalls: callsIn(events),
    };
  }

  async product({ environment, tenant }: Owner, productId: string): Promise<ErasableProduct | undefined> {
    const { state } = await load(this.store, streamName(environment, 'product', productId), productAggregate);
    if (!('tenant' in state) || state.tenant !== tenant) return undefined;
    return { productId, pictures: state.images, dataSubjects: personsOf(state) };
  }
}

function callsIn(events: readonly JobEvent[]): ErasableCall[] {
  const submitted = events.flatMap((event) => (event.type === 'EngineSubmitted' ? [event.data] : []));
  const ids = new Map(submitted.map(({ call, vendorRequestId }) => [call, vendorRequestId]));
  return events.flatMap((event) => {
    if (event.type !== 'EngineCalled') return [];
    const { call, vendor, model } = event.data;
    return [{ vendor, model, vendorRequestId: ids.get(call) }];
  });
}
