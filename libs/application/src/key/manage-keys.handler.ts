import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Capability, KeyEvent, SignatureRule } from '#domain/key/key.events.js';
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
import { handle, load, untouched } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { StreamCommand } from '../stream-command.handler.js';
import { generateApiKey, hashApiKey } from './api-key.js';

export const keyAggregate = { initial: initialKey, evolve: evolveKey };

export interface IssuedApiKey {
  readonly keyId: string;
  /** The key itself. It can be read only now. */
  readonly key: string;
  readonly position: bigint | undefined;
}

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

  async execute({ context, grant }: IssueKey): Promise<IssuedApiKey> {
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
      this.store,
      streamName(environment, 'key', keyId),
      keyAggregate,
      (state) => issueKey(facts, state),
      context,
      untouched(keyAggregate),
    );
    if (issued.kind === 'rejected') throw new Error(`key ${keyId} exists already`);
    return { keyId, key, position: issued.position };
  }
}

/** The tenant and environment of a key; undefined if no key has this id. */
export async function findApiKey(store: EventStore, environment: Environment, keyId: string) {
  const { state } = await load(store, streamName(environment, 'key', keyId), keyAggregate);
  return state.status === 'unissued' ? undefined : state;
}

/** Revokes a key, for a reason. A second time changes nothing; an unknown key gives `KEY_NOT_FOUND`. */
export class RevokeKey extends StreamCommand<string, Key, KeyEvent, { readonly code: 'KEY_NOT_FOUND' }> {
  readonly aggregate = keyAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'key', this.id);
  }

  decide(key: Key, at: string) {
    return revokeKey({ reason: this.data, at }, key);
  }
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
  constructor(
    private readonly store: EventStore,
    private readonly issuer: IssueKeyHandler,
  ) {}

  async execute({ context, keyId, overlapMs }: RotateKey): Promise<RotatedApiKey> {
    const old = await findApiKey(this.store, context.environment, keyId);
    if (!old) return { kind: 'rejected', rejection: { code: 'KEY_NOT_FOUND' } };
    // Checked first, so that no successor is made in vain. If two rotate at the same time, the decision
    // below holds.
    const { status, successorKeyId } = old;
    if (status === 'revoked') return { kind: 'rejected', rejection: { code: 'KEY_REVOKED' } };
    if (successorKeyId !== undefined)
      return { kind: 'rejected', rejection: { code: 'KEY_ROTATED', successorKeyId } };
    const { capabilities, label, requiresSignature = false } = old.key;
    const grant = { capabilities, label, requiresSignature };
    const successor = await this.issuer.execute(new IssueKey(another(context), grant));
    const retiresAt = new Date(context.at.getTime() + overlapMs);
    const stream = (id: string) => streamName(context.environment, 'key', id);
    const at = context.at.toISOString();
    const retirement = { retiresAt: retiresAt.toISOString(), successorKeyId: successor.keyId, at };
    const retired = await handle(
      this.store,
      stream(keyId),
      keyAggregate,
      (key) => retireKey(retirement, key),
      context,
    );
    if (retired.kind === 'rejected') {
      // Another operator has rotated or revoked the key meanwhile. The successor's secret has not been shown.
      const reason = 'its rotation was refused';
      await handle(
        this.store,
        stream(successor.keyId),
        keyAggregate,
        (key) => revokeKey({ reason, at }, key),
        another(context),
      );
      return retired;
    }
    return { kind: 'rotated', successor: { ...successor, position: retired.position }, retiresAt };
  }
}

function another(context: CommandContext): CommandContext {
  return { ...context, commandId: newId() };
}
