import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { handle, load, type Handled } from '#application/aggregate.js';
import type { CommandContext } from '#application/command-context.js';
import { sameHash } from '#application/key/api-key.js';
import { categoryPrefix, streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import type { OperatorRole } from '#operator-calls/operator-role.js';
import { generateOperatorToken, hashOperatorToken, nameInToken } from './operator-token.js';
import {
  addOperator,
  evolveOperator,
  initialOperator,
  revokeOperator,
  welcomeOperator,
  type AddedOperator,
  type OperatorRejection,
  type OperatorState,
} from './operator.js';

export const operatorAggregate = { initial: initialOperator, evolve: evolveOperator };
const operatorStream = (name: string) => streamName('live', 'operator', name);

export type AddedOperatorToken =
  | { readonly kind: 'added'; readonly token: string | undefined }
  | { readonly kind: 'rejected'; readonly rejection: OperatorRejection };

/** Adds an operator. The token is shown only this once; the store gets its hash. */
export class AddOperator extends Command<AddedOperatorToken> {
  constructor(
    readonly context: CommandContext,
    readonly operator: { readonly name: string; readonly role: OperatorRole; readonly expiresAt: Date },
    /** False for people who use the login of their organisation. */
    readonly withToken = true,
  ) {
    super();
  }
}

@CommandHandler(AddOperator)
export class AddOperatorHandler implements ICommandHandler<AddOperator> {
  constructor(private readonly store: EventStore) {}

  async execute({ context, operator, withToken }: AddOperator): Promise<AddedOperatorToken> {
    const { name, role, expiresAt } = operator;
    const token = withToken ? generateOperatorToken(name) : undefined;
    const added = {
      name,
      role,
      expiresAt: expiresAt.toISOString(),
      at: context.at.toISOString(),
      tokenHash: token === undefined ? null : hashOperatorToken(token),
    };
    const handled = await handle(
      ...([this.store, operatorStream(name), operatorAggregate] as const),
      (state) => addOperator(added, state),
      context,
    );
    if (handled.kind === 'rejected') return { kind: 'rejected', rejection: handled.rejection };
    return { kind: 'added', token };
  }
}

/** Lets in a person whom their organisation has let in. */
export class WelcomeOperator extends Command<Handled<OperatorState, OperatorRejection>> {
  constructor(
    readonly context: CommandContext,
    readonly operator: {
      readonly name: string;
      readonly role: OperatorRole | undefined;
      readonly expiresAt: Date;
    },
  ) {
    super();
  }
}

@CommandHandler(WelcomeOperator)
export class WelcomeOperatorHandler implements ICommandHandler<WelcomeOperator> {
  constructor(private readonly store: EventStore) {}

  execute({ context, operator }: WelcomeOperator): Promise<Handled<OperatorState, OperatorRejection>> {
    const { name, role, expiresAt } = operator;
    const welcome = { name, role, expiresAt: expiresAt.toISOString(), at: context.at.toISOString() };
    return handle(
      ...([this.store, operatorStream(name), operatorAggregate] as const),
      (state) => welcomeOperator(welcome, state),
      context,
    );
  }
}

/** Takes an operator's access away, from the next request on. */
export class RevokeOperator extends Command<Handled<OperatorState, OperatorRejection>> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeOperator)
export class RevokeOperatorHandler implements ICommandHandler<RevokeOperator> {
  constructor(private readonly store: EventStore) {}

  execute({ context, name, reason }: RevokeOperator): Promise<Handled<OperatorState, OperatorRejection>> {
    const revocation = { reason, at: context.at.toISOString() };
    return handle(
      ...([this.store, operatorStream(name), operatorAggregate] as const),
      (state) => revokeOperator(revocation, state),
      context,
    );
  }
}

/** The prefix of all operators' streams, for reads. */
export const operatorsPrefix = categoryPrefix('live', 'operator');

/**
 * The operator of a token; undefined for every kind of bad token. It reads the stream each time, so that a
 * revocation has an immediate effect.
 */
export async function authenticateOperator(
  store: EventStore,
  token: string,
  now: Date,
): Promise<AddedOperator | undefined> {
  const name = nameInToken(token);
  if (name === undefined) return undefined;
  const operator = await activeOperator(store, name, now);
  if (!operator?.tokenHash || !sameHash(operator.tokenHash, hashOperatorToken(token))) return undefined;
  return operator;
}

/** The operator with a name, unless revoked or expired. */
export async function activeOperator(
  store: EventStore,
  name: string,
  now: Date,
): Promise<AddedOperator | undefined> {
  const { state } = await load(store, operatorStream(name), operatorAggregate);
  if (state.status !== 'active' || state.operator.expiresAt <= now.toISOString()) return undefined;
  return state.operator;
}
