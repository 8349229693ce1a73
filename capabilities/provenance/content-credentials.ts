import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EngineError } from '@atelier/engine';
import { PictureFinisher, type FinishedPicture } from '#application/render/finished-pictures.js';
import { sealOf } from '#capabilities/parts.js';
import { streamName } from '#domain/streams.js';
import { EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration, ConfigurationError } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { versionOfThis } from '#platform/package-folder.js';
import { withManifest } from './manifest.js';
import { statementOf } from './picture-statement.js';
import { signingAt } from './signing.js';

/**
 * Signs each picture: it embeds Content Credentials (C2PA) that say what made it and which order it belongs to. It
 * writes nothing: if the worker dies behind it, the next attempt makes and signs a picture of its own.
 */
@Injectable()
export class ContentCredentials extends PictureFinisher implements OnApplicationBootstrap {
  private readonly generator = { name: 'Atelier', version: versionOfThis() };
  private readonly findSeal = sealOf?.();

  constructor(
    private readonly store: EventStore,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {
    super();
  }

  /** @throws ConfigurationError if pictures cannot be signed, and unsigned ones are refused */
  onApplicationBootstrap(): void {
    const { provenance } = this.configuration;
    const { problem, signer } = signingAt(provenance, this.clock());
    if (problem !== undefined && provenance.unsigned === 'refuse')
      throw new ConfigurationError(
        `pictures cannot be signed: ${problem}. Set it for the workers, or set ATELIER_UNSIGNED_PICTURES=accept ` +
          'to give out pictures without Content Credentials (docs/provenance.md)',
      );
    if (problem !== undefined) this.logger.warn({ problem }, 'pictures are not signed');
    else if (signer?.certificate.isHomeMade)
      this.logger.warn(
        'pictures are signed with the own certificate of this installation: verifiers call them untrusted (docs/provenance.md)',
      );
  }

  async finish(picture: FinishedPicture): Promise<Buffer> {
    const { provenance } = this.configuration;
    const { problem, signer } = signingAt(provenance, this.clock());
    if (problem !== undefined) return this.unsigned(picture, problem);
    const ordered = await this.orderOf(picture);
    const seal = await (await this.findSeal)?.(this.store, ordered);
    const statement = statementOf(picture, this.generator, ordered, seal);
    return withManifest(picture.bytes, picture.contentType, statement, signer);
  }

  /** @throws EngineError unless unsigned pictures are accepted */
  private unsigned({ bytes, jobId }: FinishedPicture, problem: string): Buffer {
    if (this.configuration.provenance.unsigned === 'accept') return bytes;
    this.logger.error({ jobId, problem }, 'a picture cannot be signed');
    const message = 'The picture could not be signed, so it was not stored. Your credits were refunded.';
    throw new EngineError('misconfigured', message);
  }

  private async orderOf({ environment, jobId }: FinishedPicture): Promise<RecordedEvent> {
    const stream = streamName(environment, 'job', jobId);
    const slice = await this.store.readStream(stream, { from: 0n, limit: 1 });
    const [queued] = slice.kind === 'found' ? slice.events : [];
    if (queued) return queued;
    throw new Error(`${stream} has no first event`);
  }
}
