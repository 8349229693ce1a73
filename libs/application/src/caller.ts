import type { Capability } from '#domain/key/key.events.js';
import type { Environment } from '#domain/streams.js';

/** Whom a valid key speaks for. It scopes every read and write, and its tenant pays. */
export interface Caller {
  readonly environment: Environment;
  readonly tenant: string;
  readonly keyId: string;
  readonly capabilities: readonly Capability[];
  /** Whether its requests must be signed. Absent: they may be. */
  readonly requiresSignature?: boolean;
}
