import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { readForwards } from '#application/aggregate.js';
import { ErasableThings, type ErasablePicture } from '#application/erasure/erasable-things.js';
import type { Owner } from '#application/picture/stored-pictures.js';
import { decode } from '#domain/stored-events.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { jsonFile, zipOf, type ZippedFile } from '#platform/zip-stream.js';
import { ObjectNotFound, ObjectStorage } from '#storage/object-storage.js';
import type { ErasureTarget } from './erasure.events.js';

const categoryOf = {
  upload: 'asset',
  picture: 'asset',
  render: 'job',
  job: 'job',
  words: 'job',
  product: 'product',
} as const;

/**
 * All that the service has about a person, or for a tenant, as a ZIP: the events of each thing as JSON, and the pictures
 * as they are stored.
 */
@Injectable()
export class PersonArchive {
  constructor(
    private readonly store: EventStore,
    private readonly things: ErasableThings,
    private readonly storage: ObjectStorage,
  ) {}

  of(owner: Owner, name: string, things: AsyncIterable<ErasureTarget>, at: Date): Readable {
    const { environment, tenant } = owner;
    const about = { name, environment, tenant, written_at: at.toISOString() };
    return zipOf(this.all(owner, jsonFile('person.json', about), things), at);
  }

  ofTenant(owner: Owner, name: string, things: AsyncIterable<ErasureTarget>, at: Date): Readable {
    const { environment, tenant } = owner;
    const about = { tenant, name, environment, written_at: at.toISOString() };
    return zipOf(this.all(owner, jsonFile('tenant.json', about), things), at);
  }

  private async *all(
    owner: Owner,
    about: ZippedFile,
    things: AsyncIterable<ErasureTarget>,
  ): AsyncGenerator<ZippedFile> {
    yield about;
    for await (const thing of things) yield* this.filesOf(owner, thing);
  }

  private async *filesOf(owner: Owner, target: ErasureTarget): AsyncGenerator<ZippedFile> {
    const { kind, id } = target;
    const category = kind === 'record' ? target.category : categoryOf[kind];
    const folder = `${kind === 'upload' ? kind : category}s/${id}`;
    const events: object[] = [];
    const stream = streamName(owner.environment, category, id);
    for await (const page of readForwards(this.store, stream, 0n))
      events.push(...page.map((event) => ({ recorded_at: event.metadata.recordedAt, ...decode(event) })));
    yield jsonFile(`${folder}/events.json`, events);
    for (const { storageKey } of await this.picturesOf(owner, kind, id)) {
      const bytes = await this.bytesAt(storageKey);
      if (bytes) yield [`${folder}/${posix.basename(storageKey)}`, bytes];
    }
  }

  private async picturesOf(
    owner: Owner,
    kind: ErasureTarget['kind'],
    id: string,
  ): Promise<readonly ErasablePicture[]> {
    if (kind === 'upload') {
      const upload = await this.things.picture(owner, id);
      const beside = upload?.credentialsKey;
      return [upload ?? [], beside === undefined ? [] : { assetId: id, storageKey: beside }].flat();
    }
    // The pictures of a product are uploads and pictures of jobs. A record has none.
    return kind === 'product' || kind === 'record'
      ? []
      : ((await this.things.job(owner, id))?.pictures ?? []);
  }

  private async bytesAt(storageKey: string): Promise<Buffer | undefined> {
    try {
      return await this.storage.get(storageKey);
    } catch (error) {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    }
  }
}
