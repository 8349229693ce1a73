import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { reuseChecks } from '#capabilities/parts.js';
import type { StoredAsset } from '#domain/asset/asset.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { load } from '../aggregate.js';
import { hashBody } from '../dispatch/idempotency.js';
import { ReadModels } from '../read-models.js';
import { ReuseCheck } from './reuse-check.js';
import { assetAggregate, type Owner } from './stored-pictures.js';

/** All that must be equal for two uploads to be the same. */
export interface SoughtUpload {
  readonly sha256: string;
  readonly contentType: string;
  readonly dataSubjects: readonly string[];
  /** Of the Content Credentials; null: it has none. */
  readonly credentials: { readonly sha256: string; readonly problems: readonly string[] } | null;
}

/**
 * Finds an upload of the same picture. The read model finds candidates of the owner, and the log decides: an upload that was
 * erased or retired, that has an end of its own, or whose bytes are gone is not given again.
 */
@Injectable()
export class EarlierUploads implements OnModuleInit {
  private checks: readonly ReuseCheck[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly storage: ObjectStorage,
    private readonly reads: ReadModels,
    private readonly modules: ModuleRef,
  ) {}

  async onModuleInit(): Promise<void> {
    const types = await reuseChecks();
    this.checks = types.map((type) => this.modules.get<ReuseCheck>(type, { strict: false }));
  }

  async find(owner: Owner, sought: SoughtUpload, at: Date): Promise<StoredAsset | undefined> {
    const candidates = await this.reads
      .of(owner.environment)
      .assets.uploadsWith(owner.tenant, sought.sha256, mostCandidates);
    for (const assetId of candidates) {
      const found = await this.usable(owner, assetId, sought, at);
      if (found) return found;
    }
    return undefined;
  }

  /** The upload, if it can be given again for this one. It is read from the log, because another process may have erased it. */
  async usable(
    owner: Owner,
    assetId: string,
    sought: SoughtUpload,
    at: Date,
  ): Promise<StoredAsset | undefined> {
    const { environment, tenant } = owner;
    const { state } = await load(this.store, streamName(environment, 'asset', assetId), assetAggregate);
    if (state?.tenant !== tenant || state.origin !== 'upload' || state.retainDays !== undefined)
      return undefined;
    if (state.erasedAt !== undefined || state.retiredAt !== undefined) return undefined;
    if (reuseKey(sought) !== reuseKey(asSought(state))) return undefined;
    const asked = { environment, tenant, storedAt: new Date(state.at), at };
    for (const check of this.checks) if (!(await check.mayReuse(asked))) return undefined;
    return (await this.storage.has(state.storageKey)) ? state : undefined;
  }
}

/** The newest are looked at. Older ones that cannot be given again are erased soon, or belong to other persons. */
const mostCandidates = 20;

/** Equal for uploads that are the same. */
export function reuseKey({ sha256, contentType, dataSubjects, credentials }: SoughtUpload): string {
  return hashBody({ sha256, contentType, dataSubjects, credentials });
}

function asSought({ sha256, contentType, dataSubjects = [], credentials }: StoredAsset): SoughtUpload {
  // Credentials that were too large to be kept cannot be compared: they are equal to none.
  const of = credentials && { sha256: credentials.kept?.sha256 ?? '', problems: credentials.problems };
  return { sha256, contentType, dataSubjects, credentials: of ?? null };
}
