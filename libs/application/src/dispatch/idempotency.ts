import { hash } from 'node:crypto';
import type { Environment } from '#domain/streams.js';

/** The ids of one dispatch. They are fixed when its Idempotency-Key is first stored. */
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

/** The log keeps this hash of a key: enough to find the key's job again, but not the key itself. */
export function hashKey({ endpoint, key }: Pick<IdempotentRequest, 'endpoint' | 'key'>): string {
  return hash('sha256', `${endpoint}\n${key}`, 'base64url');
}

/** SHA-256 of a validated body. The order and spelling of its fields do not change it. */
export function hashBody(body: object): string {
  return hash('sha256', canonicalJson(body));
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** The right to continue with a key. It lasts as long as the process that holds it lives. */
export interface IdempotencyLease {
  readonly request: IdempotentRequest;
  /** Names this try; opaque. */
  readonly holder: string;
}

export type IdempotencyBeginning =
  /** The first request with this key: continue with the ids that were passed. */
  | { readonly kind: 'new'; readonly ids: DispatchIds; readonly lease: IdempotencyLease }
  /** An earlier try died half-way: continue with its ids. */
  | {
      readonly kind: 'resume';
      readonly ids: DispatchIds;
      readonly lease: IdempotencyLease;
      /**
       * True if an empty or older database had lost the key, and the ids come from the key's job on the log.
       */
      readonly recalled?: boolean;
    }
  /** Accepted before: give this answer again, if the log still has its job. */
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'in-use' }
  | { readonly kind: 'reused' };

/**
 * Remembers each Idempotency-Key for 24 hours: the answer if a dispatch was accepted, else the ids of the try
 * under way.
 */
export abstract class IdempotencyStore {
  abstract begin(request: IdempotentRequest, ids: DispatchIds): Promise<IdempotencyBeginning>;
  /**
   * The log has lost the job of these ids, for example in a restore. The key continues as if that try had never
   * answered. If several requests reopen it at once, one gets the lease.
   */
  abstract reopen(request: IdempotentRequest, lost: DispatchIds): Promise<IdempotencyBeginning>;
  /** The sweep has refunded the earlier try: continue under new ids. @throws IdempotencyLeaseLost */
  abstract reassign(lease: IdempotencyLease, ids: DispatchIds): Promise<void>;
  /** Does nothing when the lease is lost: the try that holds it answers from the same ids. */
  abstract answer(lease: IdempotencyLease, answer: unknown): Promise<void>;
  /**
   * Frees the key for a new dispatch. Only if nothing has happened and no later try could continue this one.
   */
  abstract forget(lease: IdempotencyLease): Promise<void>;
  /** This try ended without an answer: the next one with the key may continue at once. */
  abstract release(lease: IdempotencyLease): Promise<void>;
}

/** Another try holds this key by now. */
export class IdempotencyLeaseLost extends Error {
  override readonly name = 'IdempotencyLeaseLost';
}

/** How long the key of a dead process stays taken. Afterwards the next try continues with the key. */
export const idempotencyLeaseMs = 5_000;

/** How often a process renews the leases of its running requests. */
export const idempotencyRenewalMs = 1_500;

export const idempotencyRetentionHours = 24;
