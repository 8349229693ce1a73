import { Injectable } from '@nestjs/common';
import { readForwards } from '#application/aggregate.js';
import type { Caller } from '#application/command-context.js';
import { sealOf } from '#capabilities/parts.js';
import type { AssetEvent } from '#domain/asset/asset.events.js';
import type { JobArtifact, JobEvent } from '#domain/job/job.events.js';
import { decode } from '#domain/stored-events.js';
import { environments, streamName, type Environment } from '#domain/streams.js';
import { EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { isId } from '#platform/ids.js';
import { Database } from '#read-store/database.js';
import { ObjectNotFound, ObjectStorage } from '#storage/object-storage.js';
import type { CoveringSeal } from '../capability.js';
import type { SoughtLikeness } from './likeness.js';
import { isLikeness, ofChunks, type Chunk } from './likeness.value.js';
import { readCredentials, type Credentials } from './read-credentials.js';

type Stored = Extract<AssetEvent, { type: 'AssetStored' }>['data'];
type Queued = Extract<JobEvent, { type: 'JobQueued' }>['data'];

/** A picture that a job of this service made. */
export interface KnownPicture {
  readonly environment: Environment;
  readonly stored: Stored;
}

/** A job, as its own events tell it. */
export interface KnownJob {
  readonly ordered: RecordedEvent;
  readonly queued: Queued;
  /** All pictures, those on the way first. */
  readonly artifacts: readonly JobArtifact[];
  readonly succeeded: Extract<JobEvent, { type: 'JobSucceeded' }>['data'] | undefined;
}

export type Recognition =
  /** Its bytes are those that were stored. */
  | { readonly verdict: 'unchanged'; readonly picture: KnownPicture }
  | {
      /** It carries the credentials of a picture of ours, but its bytes are others. */
      readonly verdict: 'changed';
      readonly picture: KnownPicture;
      /** Whether it still looks like that picture. Null: one of the two cannot be looked at. */
      readonly looksAlike: boolean | null;
    }
  /** It looks like a picture of ours, and nothing else shows that it is one. */
  | { readonly verdict: 'similar'; readonly picture: KnownPicture }
  | { readonly verdict: 'unknown'; readonly picture: undefined };

/** Where pictures come from. The log decides; read models only find the way. */
@Injectable()
export class PictureOrigins {
  private readonly findSeal = sealOf?.();

  constructor(
    private readonly store: EventStore,
    private readonly database: Database,
    private readonly storage: ObjectStorage,
  ) {}

  /** @param of the picture's hash in hex, and what is in the picture if it is at hand */
  async recognise(
    of: {
      readonly sha256: string;
      readonly credentials?: Credentials | undefined;
      /** Undefined: it cannot be looked at. Asked only if its bytes are not known. */
      readonly look?: (() => Promise<SoughtLikeness | undefined>) | undefined;
    },
    caller: Pick<Caller, 'environment' | 'tenant'>,
  ): Promise<Recognition> {
    const named = await this.namedBy(of.credentials);
    if (named?.stored.sha256 === of.sha256) return { verdict: 'unchanged', picture: named };
    const equal = await this.withHash(of.sha256, caller);
    if (equal) return { verdict: 'unchanged', picture: equal };
    const sought = await of.look?.();
    if (named && of.credentials && (await this.hasIssued(of.credentials, named)))
      return { verdict: 'changed', picture: named, looksAlike: looksAlike(named, sought) };
    const similar = sought && (await this.lookingLike(sought, caller));
    return similar ? { verdict: 'similar', picture: similar } : { verdict: 'unknown', picture: undefined };
  }

  /** Undefined: there is no such job. */
  async job(environment: Environment, jobId: string): Promise<KnownJob | undefined> {
    const recorded: RecordedEvent[] = [];
    for await (const page of readForwards(this.store, streamName(environment, 'job', jobId), 0n))
      recorded.push(...page);
    // Safe cast: the stream of a job holds only events of jobs.
    const events = recorded.map((event) => decode(event) as JobEvent);
    const [ordered] = recorded;
    const [first] = events;
    if (!ordered || first?.type !== 'JobQueued') return undefined;
    const succeeded = events.find((event) => event.type === 'JobSucceeded')?.data;
    const stages = events.flatMap((event) => (event.type === 'StageCompleted' ? event.data.artifacts : []));
    return {
      ordered,
      queued: first.data,
      artifacts: [...stages, ...(succeeded?.artifacts ?? [])],
      succeeded,
    };
  }

  async sealOver(event: RecordedEvent): Promise<CoveringSeal | undefined> {
    return (await this.findSeal)?.(this.store, event);
  }

  /** The credentials of a stored picture; null: its bytes are gone. */
  async credentialsOf(storageKey: string): Promise<Credentials | undefined | null> {
    try {
      return readCredentials(await this.storage.get(storageKey));
    } catch (error) {
      if (error instanceof ObjectNotFound) return null;
      throw error;
    }
  }

  has(storageKey: string): Promise<boolean> {
    return this.storage.has(storageKey);
  }

  /** When the picture was erased; null: it was not. */
  async erasedAt(environment: Environment, assetId: string): Promise<string | null> {
    const stream = streamName(environment, 'asset', assetId);
    const slice = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    // An erasure is the last event of a picture. Safe cast: the stream of an asset holds only events of assets.
    const [last] = slice.kind === 'found' ? slice.events.map((each) => decode(each) as AssetEvent) : [];
    return last?.type === 'PictureErased' ? last.data.at : null;
  }

  /** The picture that the credentials name, whether or not they tell the truth. */
  private async namedBy(credentials: Credentials | undefined): Promise<KnownPicture | undefined> {
    const { environment: name, picture } = credentials?.order ?? {};
    const environment = environments.find((each) => each === name);
    return environment && typeof picture === 'string' && isId(picture)
      ? this.rendered(environment, picture)
      : undefined;
  }

  /** The same picture may be stored several times; the caller's own comes first. */
  private async withHash(
    sha256: string,
    { environment: own, tenant }: Pick<Caller, 'environment' | 'tenant'>,
  ): Promise<KnownPicture | undefined> {
    for (const environment of environments.toSorted((one) => (one === own ? -1 : 1))) {
      const { rows } = await this.database.query(
        `select asset_id from ${environment}.assets where sha256 = $1 and origin = 'render'
         order by tenant = $2 desc, created_at limit 1`,
        [sha256, tenant],
      );
      const [row] = rows as { asset_id: string }[];
      const found = row && (await this.rendered(environment, row.asset_id));
      if (found) return found;
    }
    return undefined;
  }

  /** The caller's own pictures come first, then the one that looks most like it. Erased ones are not known. */
  private async lookingLike(
    sought: SoughtLikeness,
    { environment: own, tenant }: Pick<Caller, 'environment' | 'tenant'>,
  ): Promise<KnownPicture | undefined> {
    const found = environments.map(async (environment) => {
      // One search of the index for each chunk: `chunks ?| $1` compares each row with all of them, and takes minutes.
      const { rows } = await this.database.query(
        `select distinct on (asset_id) asset_id, tenant, chunks
         from unnest($1::text[]) as sought (chunk) join ${environment}.likenesses on chunks ? sought.chunk`,
        [sought.chunks],
      );
      return (rows as { asset_id: string; tenant: string; chunks: Chunk[] }[]).flatMap((row) => {
        const difference = sought.difference(ofChunks(row.chunks));
        const isOwn = environment === own && row.tenant === tenant;
        return difference === undefined ? [] : [{ environment, assetId: row.asset_id, isOwn, difference }];
      });
    });
    const [best] = (await Promise.all(found))
      .flat()
      .toSorted((one, other) => Number(other.isOwn) - Number(one.isOwn) || one.difference - other.difference);
    return best && this.rendered(best.environment, best.assetId);
  }

  private async rendered(environment: Environment, assetId: string): Promise<KnownPicture | undefined> {
    const stream = streamName(environment, 'asset', assetId);
    const slice = await this.store.readStream(stream, { from: 0n, limit: 1 });
    const [first] = slice.kind === 'found' ? slice.events : [];
    // Safe cast: the stream of an asset holds only events of assets.
    const event = first && (decode(first) as AssetEvent);
    if (event?.type !== 'AssetStored' || event.data.origin !== 'render') return undefined;
    return { environment, stored: event.data };
  }

  /**
   * Whether the credentials are those of the stored picture, byte for byte. So this needs no certificate, which may
   * have been replaced since.
   */
  private async hasIssued({ store }: Credentials, { stored }: KnownPicture): Promise<boolean> {
    const issued = await this.credentialsOf(stored.storageKey);
    return issued?.store.equals(store) ?? false;
  }
}

function looksAlike(
  { stored: { likeness = '' } }: KnownPicture,
  sought: SoughtLikeness | undefined,
): boolean | null {
  return sought && isLikeness(likeness) ? sought.difference(likeness) !== undefined : null;
}
