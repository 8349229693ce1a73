import type { DigitalSource, EngineImage, EnginePicture } from '@atelier/engine';
import type { JobInputImage } from '#domain/job/job.events.js';
import type { Environment } from '#domain/streams.js';

/** A picture that bears all of its marks, and what is known of its making. */
export interface FinishedPicture {
  readonly bytes: Buffer;
  readonly contentType: EnginePicture['contentType'] | 'image/avif';
  readonly assetId: string;
  /** Null: a photograph that is shown unchanged. */
  readonly digitalSource: DigitalSource | null;
  readonly environment: Environment;
  readonly jobId: string;
  readonly operation: string;
  /** The pictures that the job was queued with. */
  readonly inputs: readonly JobInputImage[];
  /** Those of them that were loaded, by their names. */
  readonly images: readonly EngineImage[];
  /** The bytes that a vendor sent, if the picture was made of them. They may have credentials of their own. */
  readonly original: Buffer | undefined;
  /** The order's bound on what `finish` gives; undefined: none. */
  readonly maxBytes: number | undefined;
  /** When the attempt that made it began: the time in its event. */
  readonly startedAt: Date;
  readonly engine: string;
  /** Undefined before the engine has named it, at the end of its work. */
  readonly model: string | undefined;
}

/** Changes the bytes of a finished picture before they are hashed and stored. */
export abstract class PictureFinisher {
  /**
   * The bytes that are stored, and that callers get.
   * @throws EngineError when the picture must not be given out as it is; the class decides what follows
   */
  abstract finish(picture: FinishedPicture): Promise<Buffer>;

  /** The perceptual hash of a finished picture, in hex; undefined: it has none. */
  likenessOf?(bytes: Uint8Array): Promise<string | undefined>;
}
