import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { DomainEvent } from '#domain/events.js';
import {
  addOperator,
  evolveOperator,
  initialOperator,
  revokeOperator,
  welcomeOperator,
  type AddedOperator,
  type OperatorRejection,
  type OperatorState,
} from '#domain/operator/operator.js';
import type { ActionEvent, OperatorRole } from '#domain/operator/operator.events.js';
import { decode } from '#domain/stored-events.js';
import { categoryPrefix, streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { handle, load, type Handled } from '../aggregate.js';
import { toNewEvent, type CommandContext } from '../command-context.js';
import { sameHash } from '../key/authenticator.js';
import { generateOperatorToken, hashOperatorToken, nameInToken } from './operator-token.js';

export const operatorAggregate = { initial: initialOperator, evolve: evolveOperator };
const operatorStream = (name: string) => streamName('live', 'operator', name);

export type AddedOperatorToken =
  | { readonly kind: 'added'; readonly token: string | undefined }
  | { readonly kind: 'rejected'; readonly rejection: OperatorRejection };

/** Adds an operator. The token is told this once; the store gets its hash. */
export class AddOperator extends Command<AddedOperatorToken> {
  constructor(
    readonly context: CommandContext,
    readonly operator: { readonly name: string; readonly role: OperatorRole; readonly expiresAt: Date },
    /** False for people who come with the login of their organisation. */
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

/** Lets somebody in whom their organisation has let in. */
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

/**
 * Writes down what an operator asks for, before it is done; or how it ended. Answers with the event that stands there
 * already where another request with the same id came first.
 */
export class RecordAction extends Command<DomainEvent | undefined> {
  constructor(
    readonly context: CommandContext,
    readonly actionId: string,
    readonly event: ActionEvent,
  ) {
    super();
  }
}

@CommandHandler(RecordAction)
export class RecordActionHandler implements ICommandHandler<RecordAction> {
  constructor(private readonly store: EventStore) {}

  async execute({ context, actionId, event }: RecordAction): Promise<DomainEvent | undefined> {
    const [expected, from] = event.type === 'ActionRequested' ? (['no-stream', 0n] as const) : [0n, 1n];
    const stream = actionStream(actionId);
    // Each request has an id of its own, so that of two with the same key the second does not pass for the first sent again.
    const commandId = `${event.type}:${context.requestId}`;
    const stored = toNewEvent(event, 0, { ...context, commandId });
    const appended = await this.store.append(stream, expected, [stored]);
    if (appended.outcome === 'appended') return undefined;
    const slice = await this.store.readStream(stream, { from, limit: 1 });
    const [earlier] = slice.kind === 'found' ? slice.events : [];
    return earlier && decode(earlier);
  }
}

const actionStream = (id: string) => streamName('live', 'action', id);
/** All that operators asked for, and the operators themselves, as prefixes for reads. */
export const actionsPrefix = categoryPrefix('live', 'action');
export const operatorsPrefix = categoryPrefix('live', 'operator');

/** Who asks, by token: undefined for every kind of bad token alike. Read from the stream each time: a revocation holds at once. */
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

/** The operator of a name, unless revoked or expired. */
export async function activeOperator(
  store: EventStore,
  name: string,
  now: Date,
): Promise<AddedOperator | undefined> {
  const { state } = await load(store, operatorStream(name), operatorAggregate);
  if (state.status !== 'active' || state.operator.expiresAt <= now.toISOString()) return undefined;
  return state.operator;
}
