import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ArrivedCredentials, AssetEvent } from '#domain/asset/asset.events.js';
import { decode } from '#domain/stored-events.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Logger } from '#platform/logger.js';
import { ObjectNotFound, ObjectStorage } from '#storage/object-storage.js';
import { readKeptCredentials, type Credentials, type Problem } from './read-credentials.js';

/** The Content Credentials that uploads arrived with, which are kept beside them. */
@Injectable()
export class KeptCredentials {
  constructor(
    private readonly store: EventStore,
    private readonly storage: ObjectStorage,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /**
   * Undefined: it arrived without any, or was erased. If their bytes are gone, or were not kept, only their problems are known.
   * @throws the errors of store and storage
   */
  async of(environment: Environment, assetId: string): Promise<Credentials | undefined> {
    const stream = streamName(environment, 'asset', assetId);
    const slice = await this.store.readStream(stream, { from: 0n, limit: longestStory });
    const [first, ...later] = slice.kind === 'found' ? slice.events : [];
    if (later.some(({ type }) => type === 'PictureErased')) return undefined;
    // Safe cast: the stream of an asset holds only events of assets.
    const event = first && (decode(first) as AssetEvent);
    if (event?.type !== 'AssetStored' || !event.data.credentials) return undefined;
    const { problems, kept } = event.data.credentials;
    // Safe cast: this capability found them when the upload arrived.
    return readKeptCredentials(await this.bytesOf(kept), problems as Problem[]);
  }

  private async bytesOf(kept: ArrivedCredentials['kept']): Promise<Buffer> {
    if (!kept) return nothing;
    const bytes = await this.storage.get(kept.storageKey).catch((error: unknown) => {
      if (!(error instanceof ObjectNotFound)) throw error;
      return nothing;
    });
    if (hash('sha256', bytes) === kept.sha256) return bytes;
    const { storageKey } = kept;
    this.logger.error(
      { storageKey },
      "an upload's credentials are gone or altered: run atelier objects audit",
    );
    return nothing;
  }
}

const nothing = Buffer.alloc(0);

/** A picture is stored, retired and erased, each once. */
const longestStory = 3;
