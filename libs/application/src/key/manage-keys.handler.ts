import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Capability, SignatureRule } from '#domain/key/key.events.js';
import {
  evolveKey,
  initialKey,
  issueKey,
  retireKey,
  revokeKey,
  type Key,
  type RetireRejection,
} from '#domain/key/key.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { handle, load, untouched, type Handled } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { generateApiKey, hashApiKey } from './api-key.js';

export const keyAggregate = { initial: initialKey, evolve: evolveKey };

export interface IssuedApiKey {
  readonly keyId: string;
  /** The key itself. It can be read only now. */
  readonly key: string;
  readonly position: bigint | undefined;
}

/** A key's capabilities and label. */
export interface KeyGrant {
  readonly capabilities: readonly Capability[];
  readonly label: string;
  /** Whether its requests must be signed. Default: they may be. */
  readonly requiresSignature?: SignatureRule;
}

/** Issues a key for a tenant; the store gets only its hash. */
export class IssueKey extends Command<IssuedApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly grant: KeyGrant,
  ) {
    super();
  }
}

@CommandHandler(IssueKey)
export class IssueKeyHandler implements ICommandHandler<IssueKey> {
  constructor(private readonly store: EventStore) {}

  execute({ context, grant }: IssueKey): Promise<IssuedApiKey> {
    return issue(this.store, context, grant);
  }
}

async function issue(store: EventStore, context: CommandContext, grant: KeyGrant): Promise<IssuedApiKey> {
  const { environment, tenant } = context;
  const { keyId, key } = generateApiKey(environment);
  const { capabilities, label, requiresSignature } = grant;
  const facts = {
    keyId,
    tenant,
    environment,
    capabilities: [...capabilities],
    label,
    secretHash: hashApiKey(key),
    ...(requiresSignature ? { requiresSignature } : {}),
    at: context.at.toISOString(),
  };
  const issued = await handle(
    store,
    streamName(environment, 'key', keyId),
    keyAggregate,
    (state) => issueKey(facts, state),
    context,
    untouched(keyAggregate),
  );
  if (issued.kind === 'rejected') throw new Error(`key ${keyId} exists already`);
  return { keyId, key, position: issued.position };
}

/** The tenant and environment of a key; undefined if no key has this id. */
export async function findApiKey(store: EventStore, environment: Environment, keyId: string) {
  const { state } = await load(store, streamName(environment, 'key', keyId), keyAggregate);
  return state.status === 'unissued' ? undefined : state;
}

type RevokedApiKey = Handled<Key, { readonly code: 'KEY_NOT_FOUND' }>;

/** Revokes a key. A second time changes nothing; an unknown key gives `KEY_NOT_FOUND`. */
export class RevokeKey extends Command<RevokedApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly keyId: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  constructor(private readonly store: EventStore) {}

  execute({ context, keyId, reason }: RevokeKey): Promise<RevokedApiKey> {
    return revoke(this.store, context, keyId, reason);
  }
}

function revoke(
  store: EventStore,
  context: CommandContext,
  keyId: string,
  reason: string,
): Promise<RevokedApiKey> {
  const stream = streamName(context.environment, 'key', keyId);
  const at = context.at.toISOString();
  return handle(store, stream, keyAggregate, (state) => revokeKey({ reason, at }, state), context);
}

export type RotatedApiKey =
  | { readonly kind: 'rotated'; readonly successor: IssuedApiKey; readonly retiresAt: Date }
  | { readonly kind: 'rejected'; readonly rejection: RetireRejection };

/**
 * Issues a key with the same capabilities and ends the old one in `overlapMs`. Until then both work, so that
 * clients can switch. The successor comes first: a crash in between leaves a key whose secret was never shown,
 * and never a tenant without a key.
 */
export class RotateKey extends Command<RotatedApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly keyId: string,
    readonly overlapMs: number,
  ) {
    super();
  }
}

@CommandHandler(RotateKey)
export class RotateKeyHandler implements ICommandHandler<RotateKey> {
  constructor(private readonly store: EventStore) {}

  async execute({ context, keyId, overlapMs }: RotateKey): Promise<RotatedApiKey> {
    const old = await findApiKey(this.store, context.environment, keyId);
    if (!old) return { kind: 'rejected', rejection: { code: 'KEY_NOT_FOUND' } };
    // Checked first, so that no successor is made in vain. If two rotate at the same time, the decision in
    // `retire` holds.
    const { status, successorKeyId } = old;
    if (status === 'revoked') return { kind: 'rejected', rejection: { code: 'KEY_REVOKED' } };
    if (successorKeyId !== undefined)
      return { kind: 'rejected', rejection: { code: 'KEY_ROTATED', successorKeyId } };
    const { capabilities, label, requiresSignature = false } = old.key;
    const successor = await issue(this.store, another(context), { capabilities, label, requiresSignature });
    const retiresAt = new Date(context.at.getTime() + overlapMs);
    const retired = await this.retire(context, keyId, successor.keyId, retiresAt);
    if (retired.kind === 'rejected') {
      // Another operator has rotated or revoked the key meanwhile. The successor's secret has not been shown.
      await revoke(this.store, another(context), successor.keyId, 'its rotation was refused');
      return retired;
    }
    return { kind: 'rotated', successor: { ...successor, position: retired.position }, retiresAt };
  }

  private retire(
    context: CommandContext,
    keyId: string,
    successorKeyId: string,
    retiresAt: Date,
  ): Promise<Handled<Key, RetireRejection>> {
    const stream = streamName(context.environment, 'key', keyId);
    const retirement = {
      retiresAt: retiresAt.toISOString(),
      successorKeyId,
      at: context.at.toISOString(),
    };
    return handle(this.store, stream, keyAggregate, (state) => retireKey(retirement, state), context);
  }
}

function another(context: CommandContext): CommandContext {
  return { ...context, commandId: newId() };
}

export const keyHandlers = [IssueKeyHandler, RevokeKeyHandler, RotateKeyHandler];
