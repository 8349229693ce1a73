import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { ZipFile } from 'yazl';
import { readForwards } from '#application/aggregate.js';
import { ErasableThings, type ErasablePicture } from '#application/erasure/erasable-things.js';
import type { Owner } from '#application/picture/stored-pictures.js';
import { decode } from '#domain/stored-events.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { ObjectNotFound, ObjectStorage } from '#storage/object-storage.js';
import type { ErasureTarget } from './erasure.events.js';

type File = readonly [name: string, bytes: Buffer];

const categoryOf = {
  upload: 'asset',
  picture: 'asset',
  render: 'job',
  job: 'job',
  words: 'job',
  product: 'product',
} as const;

/**
 * All that the service has about a person, or for a tenant, as a ZIP: the events of each thing as JSON, and the pictures as they are stored.
 * One file is in memory at a time, and a slow reader is waited for.
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
    return this.archive(owner, asJson('person.json', about), things, at);
  }

  ofTenant(owner: Owner, name: string, things: AsyncIterable<ErasureTarget>, at: Date): Readable {
    const { environment, tenant } = owner;
    const about = { tenant, name, environment, written_at: at.toISOString() };
    return this.archive(owner, asJson('tenant.json', about), things, at);
  }

  /** An error ends the archive early, so that no reader takes it for whole. */
  private archive(owner: Owner, about: File, things: AsyncIterable<ErasureTarget>, at: Date): Readable {
    const zip = new ZipFile();
    // Its type says less: it is a PassThrough.
    const output = zip.outputStream as Readable;
    const left = new AbortController();
    output.once('close', () => left.abort());
    const add = async ([path, bytes]: File) => {
      const file = Readable.from([bytes]);
      zip.addReadStreamLazy(path, { mtime: at, compress: path.endsWith('.json') }, (give) =>
        give(null, file),
      );
      await finished(file, { signal: left.signal });
    };
    const write = async () => {
      await add(about);
      for await (const thing of things) for await (const file of this.filesOf(owner, thing)) await add(file);
      zip.end();
    };
    write().catch((error: unknown) => output.destroy(error as Error));
    return output;
  }

  private async *filesOf(owner: Owner, target: ErasureTarget): AsyncGenerator<File> {
    const { kind, id } = target;
    const category = kind === 'record' ? target.category : categoryOf[kind];
    const folder = `${kind === 'upload' ? kind : category}s/${id}`;
    const events: object[] = [];
    const stream = streamName(owner.environment, category, id);
    for await (const page of readForwards(this.store, stream, 0n))
      events.push(...page.map((event) => ({ recorded_at: event.metadata.recordedAt, ...decode(event) })));
    yield asJson(`${folder}/events.json`, events);
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

function asJson(path: string, value: object): File {
  return [path, Buffer.from(`${JSON.stringify(value, null, 2)}\n`)];
}
