import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EngineError } from '@atelier/engine';
import { PictureFinisher, type FinishedPicture } from '#application/render/finished-pictures.js';
import { sealOf } from '#capabilities/parts.js';
import type { JobInputImage } from '#domain/job/job.events.js';
import { streamName } from '#domain/streams.js';
import { EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration, ConfigurationError } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { versionOfThis } from '#platform/package-folder.js';
import type { CoveringSeal } from '../capability.js';
import { hasInherited } from './inherited-manifests.js';
import { KeptCredentials } from './kept-credentials.js';
import { signPicture, withManifest, type Statement } from './manifest.js';
import { statementOf } from './picture-statement.js';
import { readCredentials, type Credentials } from './read-credentials.js';
import type { ClaimSigner } from './provenance.key.js';
import { signingAt } from './signing.js';
import { TimeStamps } from './time-stamps.js';

/** The facts that all pictures of a job share. */
interface JobFacts {
  readonly ordered: RecordedEvent;
  /** The credentials of its inputs, in their order. */
  readonly inputs: readonly (Credentials | undefined)[];
  /** Undefined until there is one. */
  seal?: CoveringSeal | undefined;
}

/** More than a worker renders at the same time. A job may hold some megabytes of credentials. */
const rememberedJobs = 32;

/** Of a picture whose size is bounded, credentials may take this share. The pixels get the rest. */
const largestShare = 1 / 4;

const signed = ({ bytes, contentType }: FinishedPicture, said: Statement, signer: ClaimSigner): Buffer =>
  withManifest(bytes, contentType, said, signer);

/** Names each ingredient by its hash, and leaves out the manifests that it brings along. */
function withoutInherited({ ingredients, ...rest }: Statement): Statement {
  return { ...rest, ingredients: ingredients.map((each) => ({ ...each, inherited: undefined })) };
}

/**
 * Signs each picture: it embeds Content Credentials (C2PA) that say what made it and which order it belongs to, and
 * takes in the credentials of its inputs. It writes nothing: if the worker dies behind it, the next attempt makes and
 * signs a picture of its own, under another id. So a time-stamp, which differs each time, harms no comparison.
 */
@Injectable()
export class ContentCredentials extends PictureFinisher implements OnApplicationBootstrap {
  private readonly generator = { name: 'Atelier', version: versionOfThis() };
  private readonly findSeal = sealOf?.();
  private readonly jobs = new LRUCache<string, Promise<JobFacts>>({ max: rememberedJobs });

  constructor(
    private readonly store: EventStore,
    private readonly kept: KeptCredentials,
    private readonly timeStamps: TimeStamps,
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
    const facts = await this.factsOf(picture);
    facts.seal ??= await this.sealOver(facts.ordered);
    const answer = picture.original && readCredentials(picture.original);
    const statement = statementOf(picture, this.generator, { ...facts, answer });
    const { maxBytes } = picture;
    if (maxBytes === undefined)
      return (await this.stamped(picture, statement, signer)) ?? signed(picture, statement, signer);
    const whole = signed(picture, statement, signer);
    const isTooMuch = whole.length - picture.bytes.length > maxBytes * largestShare;
    const said = isTooMuch ? withoutInherited(statement) : statement;
    const plain = isTooMuch ? signed(picture, said, signer) : whole;
    // It will be encoded again, so the authority need not be asked.
    if (plain.length > maxBytes) return plain;
    return (await this.stamped(picture, said, signer)) ?? plain;
  }

  /** Undefined: it has to go without a time-stamp. */
  private stamped(
    { bytes, contentType }: FinishedPicture,
    said: Statement,
    signer: ClaimSigner,
  ): Promise<Buffer | undefined> {
    const sign = (roomBytes: number) => signPicture(bytes, contentType, said, signer, roomBytes);
    return this.timeStamps.stamped(sign, signer.certificate);
  }

  /** @throws EngineError unless unsigned pictures are accepted */
  private unsigned({ bytes, jobId }: FinishedPicture, problem: string): Buffer {
    if (this.configuration.provenance.unsigned === 'accept') return bytes;
    this.logger.error({ jobId, problem }, 'a picture cannot be signed');
    const message = 'The picture could not be signed, so it was not stored. Your credits were refunded.';
    throw new EngineError('misconfigured', message);
  }

  private factsOf(picture: FinishedPicture): Promise<JobFacts> {
    const key = `${picture.environment} ${picture.jobId}`;
    const known = this.jobs.get(key);
    if (known) return known;
    const reading = this.readFacts(picture);
    this.jobs.set(key, reading);
    reading.catch(() => this.jobs.delete(key));
    return reading;
  }

  private async readFacts(picture: FinishedPicture): Promise<JobFacts> {
    const reading = picture.inputs.map((input) => this.credentialsOf(input, picture));
    const [ordered, ...inputs] = await Promise.all([this.orderOf(picture), ...reading]);
    return { ordered, inputs };
  }

  private async orderOf({ environment, jobId }: FinishedPicture): Promise<RecordedEvent> {
    const stream = streamName(environment, 'job', jobId);
    const slice = await this.store.readStream(stream, { from: 0n, limit: 1 });
    const [queued] = slice.kind === 'found' ? slice.events : [];
    if (queued) return queued;
    throw new Error(`${stream} has no first event`);
  }

  /**
   * The credentials of an input that its pictures take in: those that an upload arrived with, and those of a picture of
   * ours that has taken some in. Other pictures of ours are in the log, so their hash is enough.
   */
  private async credentialsOf(
    { name, assetId }: JobInputImage,
    { environment, images }: FinishedPicture,
  ): Promise<Credentials | undefined> {
    const image = images.find((each) => each.name === name);
    const inBytes = image && readCredentials(image.bytes);
    if (inBytes) return inBytes.order && !hasInherited(inBytes) ? undefined : inBytes;
    return this.kept.of(environment, assetId);
  }

  /** A picture is worth more than its seal: if the search for the seal fails, the picture does not name one. */
  private async sealOver(ordered: RecordedEvent): Promise<CoveringSeal | undefined> {
    try {
      return await (
        await this.findSeal
      )?.(this.store, ordered);
    } catch (err) {
      const { stream } = ordered;
      this.logger.error({ stream, err }, 'no seal can be looked up: a picture is signed without it');
      return undefined;
    }
  }
}
