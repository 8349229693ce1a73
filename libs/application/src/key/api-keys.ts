import type { Capability } from '#domain/key/key.events.js';
import {
  evolveKey,
  initialKey,
  issueKey,
  retireKey,
  revokeKey,
  type RetireRejection,
} from '#domain/key/key.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { handle, load, untouched } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { generateApiKey, hashApiKey } from './api-key.js';

export const keyAggregate = { initial: initialKey, evolve: evolveKey };

export interface IssuedApiKey {
  readonly keyId: string;
  /** The key itself. This is the only moment at which it can be read. */
  readonly key: string;
  readonly position: bigint | undefined;
}

/** What a key may do, and what it is for. */
export interface KeyGrant {
  readonly capabilities: readonly Capability[];
  readonly label: string;
  /** Whether its requests must be signed. Default: they may be. */
  readonly requiresSignature?: boolean;
}

/** Issues a key for a tenant; the store gets only its hash. */
export async function issueApiKey(
  store: EventStore,
  context: CommandContext,
  grant: KeyGrant,
): Promise<IssuedApiKey> {
  const { environment, tenant } = context;
  const { keyId, key } = generateApiKey(environment);
  const issued = await handle(
    store,
    streamName(environment, 'key', keyId),
    keyAggregate,
    (state) =>
      issueKey(
        {
          keyId,
          tenant,
          environment,
          capabilities: [...grant.capabilities],
          label: grant.label,
          secretHash: hashApiKey(key),
          ...(grant.requiresSignature ? { requiresSignature: true } : {}),
          at: context.at.toISOString(),
        },
        state,
      ),
    context,
    untouched(keyAggregate),
  );
  if (issued.kind === 'rejected') throw new Error(`key ${keyId} exists already`);
  return { keyId, key, position: issued.position };
}

/** The tenant and environment of a key, or undefined when there is none with this id. */
export async function findApiKey(store: EventStore, environment: Environment, keyId: string) {
  const { state } = await load(store, streamName(environment, 'key', keyId), keyAggregate);
  return state.status === 'unissued' ? undefined : state;
}

/** Revokes a key. Revoking it again changes nothing; a key that does not exist gives `KEY_NOT_FOUND`. */
export function revokeApiKey(store: EventStore, context: CommandContext, keyId: string, reason: string) {
  const stream = streamName(context.environment, 'key', keyId);
  const at = context.at.toISOString();
  return handle(store, stream, keyAggregate, (state) => revokeKey({ reason, at }, state), context);
}

export type RotatedApiKey =
  | { readonly kind: 'rotated'; readonly successor: IssuedApiKey; readonly retiresAt: Date }
  | { readonly kind: 'rejected'; readonly rejection: RetireRejection };

/**
 * Issues a key that may do the same, and ends the old one `overlapMs` from now: until then both work, so that the new
 * one can be rolled out. The successor comes first: a crash in between leaves a key that nobody knows, never a tenant
 * without one.
 */
export async function rotateApiKey(
  store: EventStore,
  context: CommandContext,
  keyId: string,
  overlapMs: number,
): Promise<RotatedApiKey> {
  const old = await findApiKey(store, context.environment, keyId);
  if (!old) return { kind: 'rejected', rejection: { code: 'KEY_NOT_FOUND' } };
  // Told before a successor is made for nothing; the decision below holds against those who are as fast.
  const { status, successorKeyId } = old;
  if (status === 'revoked') return { kind: 'rejected', rejection: { code: 'KEY_REVOKED' } };
  if (successorKeyId !== undefined)
    return { kind: 'rejected', rejection: { code: 'KEY_ROTATED', successorKeyId } };
  const { capabilities, label, requiresSignature = false } = old.key;
  const grant = { capabilities, label, requiresSignature };
  const successor = await issueApiKey(store, newCommand(context), grant);
  const retiresAt = new Date(context.at.getTime() + overlapMs);
  const retirement = {
    retiresAt: retiresAt.toISOString(),
    successorKeyId: successor.keyId,
    at: context.at.toISOString(),
  };
  const retired = await handle(
    store,
    streamName(context.environment, 'key', keyId),
    keyAggregate,
    (state) => retireKey(retirement, state),
    context,
  );
  if (retired.kind === 'rejected') {
    // Somebody else rotated or revoked it meanwhile: what was issued here has been shown to nobody.
    await revokeApiKey(store, newCommand(context), successor.keyId, 'its rotation was refused');
    return retired;
  }
  return { kind: 'rotated', successor: { ...successor, position: retired.position }, retiresAt };
}

function newCommand(context: CommandContext): CommandContext {
  return { ...context, commandId: newId() };
}
