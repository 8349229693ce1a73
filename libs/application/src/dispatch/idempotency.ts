import { createHash } from 'node:crypto';
import type { Environment } from '#domain/streams.js';

/** The ids that one dispatch goes by. They are fixed when its Idempotency-Key is first stored. */
export interface DispatchIds {
  readonly requestId: string;
  readonly jobId: string;
}

export interface IdempotentRequest {
  readonly environment: Environment;
  readonly tenant: string;
  readonly endpoint: string;
  readonly key: string;
  /** SHA-256 of the validated body. */
  readonly bodyHash: string;
}

/** What the log keeps of a key: enough to find its job again, and not the key. */
export function hashKey({ endpoint, key }: Pick<IdempotentRequest, 'endpoint' | 'key'>): string {
  return createHash('sha256').update(`${endpoint}\n${key}`).digest('base64url');
}

/** The right to go on with a key, for as long as the process lives that works on the try. */
export interface IdempotencyLease {
  readonly request: IdempotentRequest;
  /** Names this try; opaque. */
  readonly holder: string;
}

export type IdempotencyBeginning =
  /** The first to come with this key: go on with the ids that were passed. */
  | { readonly kind: 'new'; readonly ids: DispatchIds; readonly lease: IdempotencyLease }
  /** An earlier try died on the way: go on with its ids. */
  | {
      readonly kind: 'resume';
      readonly ids: DispatchIds;
      readonly lease: IdempotencyLease;
      /** The store had forgotten the key, as an empty or an older database has. A job has it. */
      readonly recalled?: boolean;
    }
  /** Accepted before: give this answer again, if the log still has its job. */
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'in-use' }
  | { readonly kind: 'reused' };

/** Remembers, for 24 hours, what was accepted under each Idempotency-Key, and which ids a try that is not over goes by. */
export abstract class IdempotencyStore {
  abstract begin(request: IdempotentRequest, ids: DispatchIds): Promise<IdempotencyBeginning>;
  /**
   * The log has lost what was answered with these ids, as a restore can do: the key goes on as if that try had come to no
   * answer. Of several that come together one gets it.
   */
  abstract reopen(request: IdempotentRequest, lost: DispatchIds): Promise<IdempotencyBeginning>;
  /** The earlier try was given back by the sweep: continue under other ids. @throws IdempotencyLeaseLost */
  abstract reassign(lease: IdempotencyLease, ids: DispatchIds): Promise<void>;
  /** Does nothing when the lease is lost: the try that holds it answers from the same ids. */
  abstract answer(lease: IdempotencyLease, answer: unknown): Promise<void>;
  /** Nothing has happened, and nothing is left that a later try could go on with: the key is free for a new dispatch. */
  abstract forget(lease: IdempotencyLease): Promise<void>;
  /** This try came to no answer: the next one with the key may go on at once. */
  abstract release(lease: IdempotencyLease): Promise<void>;
}

/** Another try goes on with this key by now. */
export class IdempotencyLeaseLost extends Error {
  override readonly name = 'IdempotencyLeaseLost';
}

/** How long the key of a process that has died stays taken: the next try with it then goes on. */
export const idempotencyLeaseMs = 5_000;

/** How often a process renews the leases of the requests that it still works on. */
export const idempotencyRenewalMs = 1_500;

export const idempotencyRetentionHours = 24;
