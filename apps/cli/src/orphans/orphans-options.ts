import type { Environment } from '#domain/streams.js';
import type { OutputOptions } from '../verb.js';

export interface OrphansOptions extends OutputOptions {
  readonly env?: Environment;
  /** In milliseconds. */
  readonly horizon?: number;
}
