import type { Capability } from '#domain/key/key.events.js';
import { evolve, initialKey, issueKey, revokeKey } from '#domain/key/key.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { handle, load, untouched } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { generateApiKey, hashApiKey } from './api-key.js';

export const keyAggregate = { initial: initialKey, evolve };

export interface IssuedApiKey {
  readonly keyId: string;
  /** The key itself. This is the only moment at which it can be read. */
  readonly key: string;
  readonly position: bigint | undefined;
}

/** Issues a key for a tenant; the store gets only its hash. */
export async function issueApiKey(
  store: EventStore,
  context: CommandContext,
  grant: { readonly capabilities: readonly Capability[]; readonly label: string },
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
