import { Injectable } from '@nestjs/common';
import { erasedText } from '#domain/erased.js';
import type { JobArtifact, JobInputImage } from '#domain/job/job.events.js';
import type { Environment } from '#domain/streams.js';
import { KeptCredentials } from './kept-credentials.js';
import { PictureOrigins, type KnownJob } from './picture-origins.js';
import { PresentedCredentials } from './presented-credentials.js';
import type { PassportResponse } from './provenance.dto.js';

/** Collects the proof of where the pictures of a job come from. */
@Injectable()
export class Passports {
  constructor(
    private readonly origins: PictureOrigins,
    private readonly kept: KeptCredentials,
    private readonly presented: PresentedCredentials,
  ) {}

  /**
   * Undefined: there is no such job, it has made no picture itself, or it is another tenant's.
   * @param tenant whose job it must be; absent: any tenant's
   */
  async of(environment: Environment, jobId: string, tenant?: string): Promise<PassportResponse | undefined> {
    const job = await this.origins.job(environment, jobId);
    const { queued, succeeded } = job ?? {};
    if (!job || !queued || !succeeded?.provenance) return undefined;
    if (tenant !== undefined && queued.tenant !== tenant) return undefined;
    const { engine, model } = succeeded.provenance;
    return {
      public_id: jobId,
      environment,
      workflow: queued.operation,
      engine,
      model,
      ordered_at: queued.at,
      finished_at: succeeded.at,
      order: await this.orderOf(job),
      inputs: await Promise.all(queued.inputs.map((input) => this.inputOf(environment, input))),
      pictures: await this.picturesOf(environment, succeeded.artifacts),
    };
  }

  private async orderOf({ ordered }: KnownJob): Promise<PassportResponse['order']> {
    const seal = await this.origins.sealOver(ordered);
    const { id, stream, revision, position } = ordered;
    return {
      event_id: id,
      stream,
      revision: Number(revision),
      position: String(position),
      seal: seal ? { number: seal.number, root: seal.root, key: seal.key, sealed_at: seal.sealedAt } : null,
    };
  }

  private async inputOf(
    environment: Environment,
    { name, assetId, sha256, storageKey }: JobInputImage,
  ): Promise<PassportResponse['inputs'][number]> {
    const arrived = await this.kept.of(environment, assetId);
    return {
      name,
      asset_id: assetId,
      sha256: unlessErased(sha256),
      available: await this.origins.has(storageKey),
      erased_at: await this.origins.erasedAt(environment, assetId),
      credentials: await this.presented.of(arrived),
    };
  }

  /** One after the other, because each is read as a whole. */
  private async picturesOf(
    environment: Environment,
    artifacts: readonly JobArtifact[],
  ): Promise<PassportResponse['pictures']> {
    const pictures: PassportResponse['pictures'] = [];
    for (const { assetId, kind, contentType, sha256, storageKey } of artifacts) {
      const credentials = await this.origins.credentialsOf(storageKey);
      pictures.push({
        asset_id: assetId,
        kind,
        content_type: contentType,
        sha256: unlessErased(sha256),
        available: credentials !== null,
        erased_at: await this.origins.erasedAt(environment, assetId),
        credentials: await this.presented.of(credentials),
      });
    }
    return pictures;
  }
}

const unlessErased = (sha256: string): string | null => (sha256 === erasedText ? null : sha256);
