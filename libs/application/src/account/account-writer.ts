import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  evolveAccount,
  forkAccount,
  type Account,
  accountFoldVersion,
  fromSnapshot,
  initialAccount,
  toSnapshot,
} from '#domain/account/account.js';
import type { AccountEvent } from '#domain/account/account.events.js';
import { type Decision, accept } from '#domain/decision.js';
import {
  type NewEvent,
  DuplicateEventId,
  EventStore,
  StreamContended,
  type StreamWrite,
} from '#event-store/event-store.js';
import { entriesUpTo } from '#platform/cache-size.js';
import { toNewEvent, type CommandContext } from '../command-context.js';
import { LRUCache } from 'lru-cache';
import { streamName, type Environment } from '#domain/streams.js';
import { SnapshotStore } from '#event-store/snapshots.js';
import { inStoreTime } from '#event-store/store-presence.js';
import { correlated, correlation, outsideRequests } from '#platform/correlation.js';
import { Logger } from '#platform/logger.js';
import { load, type Loaded, untouched } from '../aggregate.js';

export type AccountVerdict<Rejection> =
  | {
      readonly kind: 'accepted';
      /** False when the command found its work done already. */
      readonly changed: boolean;
      /** Position of the account's last event after the command. */
      readonly position: bigint | undefined;
    }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

interface Waiting {
  /** Absent for a read of the account, which emits nothing. */
  readonly context: CommandContext | undefined;
  readonly decide: (account: Account) => Decision<AccountEvent, unknown>;
  /** Appended together with the command's events, if there are any. */
  readonly beside: readonly StreamWrite[];
  readonly resolve: (verdict: AccountVerdict<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

interface DecidedBatch {
  readonly verdicts: readonly (
    AccountVerdict<unknown> | { readonly kind: 'threw'; readonly error: unknown }
  )[];
  readonly domainEvents: readonly AccountEvent[];
  readonly events: readonly NewEvent[];
}

/**
 * Decides the commands one after the other, each on the state that the accepted ones before it leave behind.
 */
function decideAll(batch: readonly Waiting[], account: Account): DecidedBatch {
  let draft = forkAccount(account);
  const domainEvents: AccountEvent[] = [];
  const events: NewEvent[] = [];
  const verdicts = batch.map(({ decide, context }): DecidedBatch['verdicts'][number] => {
    try {
      const decision = decide(draft);
      if (decision.kind === 'rejected') return decision;
      decision.events.forEach((event, index) => {
        draft = evolveAccount(draft, event);
        domainEvents.push(event);
        if (context) events.push(toNewEvent(event, index, context));
      });
      return { kind: 'accepted', changed: decision.events.length > 0, position: undefined };
    } catch (error) {
      // A defect in one command must not fail the others of the batch.
      return { kind: 'threw', error };
    }
  });
  return { verdicts, domainEvents, events };
}

type DecidedCommand = DecidedBatch['verdicts'][number];

function hasEvents(verdict: DecidedCommand | undefined): boolean {
  return verdict?.kind === 'accepted' && verdict.changed;
}

/** @param except commands that are decided again and answered then */
function answer(
  batch: readonly Waiting[],
  verdicts: readonly DecidedCommand[],
  position: bigint | undefined,
  except: readonly Waiting[] = [],
): void {
  batch.forEach((command, index) => {
    if (except.includes(command)) return;
    const verdict = verdicts[index];
    if (!verdict || verdict.kind === 'threw') command.reject(verdict?.error);
    else command.resolve(verdict.kind === 'accepted' ? { ...verdict, position } : verdict);
  });
}

/**
 * A stream beside the account is not at the revision that a command expects. The command has written nothing.
 */
export class MovedBeside extends Error {
  override readonly name = 'MovedBeside';
}

/**
 * The writes beside the batch, one for each stream. A command that expects another revision of such a stream
 * than an earlier command does is `contrary`.
 */
function besideOf(batch: readonly Waiting[], verdicts: readonly DecidedCommand[]) {
  const writes = new Map<string, StreamWrite>();
  const contrary = batch.filter(({ beside }, index) => {
    if (!hasEvents(verdicts[index])) return false;
    const clashes = beside.some(({ stream, expectedRevision }) => {
      const known = writes.get(stream);
      return known !== undefined && known.expectedRevision !== expectedRevision;
    });
    if (!clashes) for (const write of beside) writes.set(write.stream, write);
    return clashes;
  });
  return { writes: [...writes.values()], contrary };
}

type Appended =
  | {
      readonly outcome: 'appended';
      /** Revision of the account's last event. */
      readonly revision: bigint;
      readonly position: bigint;
      /** Position of the last event of the whole append, other streams included. */
      readonly lastPosition: bigint;
      readonly replayed: boolean;
    }
  | { readonly outcome: 'wrong-expected-revision'; readonly streams: readonly string[] };

interface Mailbox {
  readonly stream: string;
  readonly waiting: Waiting[];
  draining: Promise<void> | undefined;
  /** The account as this process knows it. Undefined: it is not loaded, or the state may be wrong. */
  known: Loaded<Account> | undefined;
  /** The last state before `known` was given up. */
  lastSeen: Loaded<Account> | undefined;
  lastSnapshot: bigint;
}

export interface AccountWriterOptions {
  /** Commands that are decided and appended together. */
  readonly maxBatch?: number;
  /** Events between two snapshots, at least. */
  readonly snapshotEvery?: number;
  /** Accounts that are kept in memory. */
  readonly cachedAccounts?: number;
  /** A mailbox waits for this before its first batch. Default: one turn of the event loop. */
  readonly nextTurn?: () => Promise<void>;
}

const maxConflicts = 200;
const aggregate = { initial: initialAccount, evolve: evolveAccount };
const eventLoopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The single writer of every account in this process. Each account has a mailbox. While an append is on its way
 * to the store, further commands wait there; then the writer decides them in order and appends them together.
 * Each command gets its own verdict. Between processes the expected revision decides: the second writer is
 * refused, reads the new events and decides again. A verdict always rests on the account's true head: either
 * the append at that revision succeeded, or the batch had nothing to append and the writer read the head again
 * before it answered.
 */
@Injectable()
export class AccountWriter {
  private readonly mailboxes: LRUCache<string, Mailbox>;
  private readonly maxBatch: number;
  private readonly snapshotEvery: number;

  constructor(
    private readonly store: EventStore,
    private readonly snapshots: SnapshotStore,
    @Optional() private readonly options: AccountWriterOptions = {},
    @Optional() @Inject(Logger) private readonly logger?: Logger,
  ) {
    this.maxBatch = options.maxBatch ?? 128;
    this.snapshotEvery = options.snapshotEvery ?? 250;
    this.mailboxes = new LRUCache(entriesUpTo(options.cachedAccounts ?? 20_000));
  }

  /**
   * Runs one command on the account that its context names.
   * @param beside writes to other streams in the same append; only for a store with `appendTogether`
   * @throws AppendOutcomeUnknown: the command may have happened; repeating it with the same command id is safe
   * @throws EventStoreUnavailable, MovedBeside: the command has not happened
   * @throws DuplicateEventId: a command with this id has happened, and its effect was undone later
   */
  execute<Rejection>(
    context: CommandContext,
    decide: (account: Account) => Decision<AccountEvent, Rejection>,
    beside: readonly StreamWrite[] = [],
  ): Promise<AccountVerdict<Rejection>> {
    // The drain runs outside any request, so each command carries its own trace.
    const traced = { traceparent: correlation().traceparent, ...context };
    const mailbox = this.mailbox(context.environment, context.tenant);
    return inStoreTime(() => this.enqueue(mailbox, traced, decide, beside), 'write');
  }

  /**
   * The account at its head, read now, and the position of its last event. The read waits its turn among the
   * commands. The writer goes on changing this state: copy what you need, and do not keep it.
   */
  async read(environment: Environment, tenant: string): Promise<Pick<Loaded<Account>, 'state' | 'position'>> {
    const mailbox = this.mailbox(environment, tenant);
    await inStoreTime(() => this.enqueue(mailbox, undefined, () => accept()), 'read');
    // Commands of the same batch may have written; state and position are those after all of them.
    return mailbox.known ?? untouched(aggregate);
  }

  /**
   * The account as this process last saw it, for use while the log cannot be read. Undefined: this process
   * never saw it. The open charges may already include part of a later state.
   */
  lastSeen(environment: Environment, tenant: string): Omit<Loaded<Account>, 'revision'> | undefined {
    const { known, lastSeen } = this.mailbox(environment, tenant);
    return known ?? lastSeen;
  }

  private enqueue<Rejection>(
    mailbox: Mailbox,
    context: CommandContext | undefined,
    decide: (account: Account) => Decision<AccountEvent, Rejection>,
    beside: readonly StreamWrite[] = [],
  ): Promise<AccountVerdict<Rejection>> {
    return new Promise((resolve, reject) => {
      // The mailbox holds commands of every kind; each promise gets the result of its own decide function.
      mailbox.waiting.push({ context, decide, beside, resolve: resolve as Waiting['resolve'], reject });
      mailbox.draining ??= correlated(outsideRequests, () => this.drain(mailbox));
    });
  }

  private mailbox(environment: Environment, tenant: string): Mailbox {
    const stream = streamName(environment, 'account', tenant);
    let mailbox = this.mailboxes.get(stream);
    if (!mailbox) {
      mailbox = {
        stream,
        waiting: [],
        draining: undefined,
        known: undefined,
        lastSeen: undefined,
        lastSnapshot: -1n,
      };
      this.mailboxes.set(stream, mailbox);
    }
    return mailbox;
  }

  private async drain(mailbox: Mailbox): Promise<void> {
    // One turn of the event loop lets requests that arrived together share the first batch.
    await (this.options.nextTurn ?? eventLoopTurn)();
    while (mailbox.waiting.length > 0) {
      const batch = mailbox.waiting.splice(0, this.maxBatch);
      try {
        await this.commit(mailbox, batch);
      } catch (error) {
        // After any failure the cached state may be wrong.
        mailbox.lastSeen = mailbox.known ?? mailbox.lastSeen;
        mailbox.known = undefined;
        for (const command of batch) command.reject(error);
      }
    }
    mailbox.draining = undefined;
  }

  private async commit(mailbox: Mailbox, all: readonly Waiting[]): Promise<void> {
    let batch = all;
    /** These fail, and the others are decided again without them. */
    const leaveOut = (moved: readonly Waiting[], streams: readonly string[]) => {
      for (const command of moved)
        command.reject(new MovedBeside(`written meanwhile: ${streams.join(', ')}`));
      batch = batch.filter((command) => !moved.includes(command));
    };
    let known = mailbox.known ?? (await this.catchUp(mailbox));
    for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
      const { verdicts, domainEvents, events } = decideAll(batch, known.state);
      if (events.length === 0) {
        const head = await this.catchUp(mailbox);
        if (head.revision !== known.revision) {
          known = head;
          continue;
        }
        answer(batch, verdicts, known.position);
        return;
      }
      const { writes, contrary } = besideOf(batch, verdicts);
      if (contrary.length > 0) {
        leaveOut(contrary, []);
        continue;
      }
      const account = { stream: mailbox.stream, expectedRevision: known.revision, events };
      const appended = await this.append(account, writes);
      if (appended === 'duplicate-id') {
        const head = await this.catchUp(mailbox);
        if (head.revision === known.revision) return this.oneByOne(mailbox, batch);
        known = head;
        continue;
      }
      if (appended.outcome === 'appended') {
        const { revision, position, lastPosition } = appended;
        const state = domainEvents.reduce(evolveAccount, known.state);
        mailbox.known = { state, revision, position };
        // A replayed append does not show that this was the head. Commands without events are decided again.
        const stale = appended.replayed ? batch.filter((_, index) => !hasEvents(verdicts[index])) : [];
        answer(batch, verdicts, lastPosition, stale);
        this.snapshot(mailbox, mailbox.known);
        if (stale.length > 0) await this.commit(mailbox, stale);
        return;
      }
      if (appended.streams.includes(mailbox.stream)) known = await this.catchUp(mailbox);
      else {
        const { streams } = appended;
        const names = ({ stream }: StreamWrite) => streams.includes(stream);
        leaveOut(
          batch.filter(({ beside }) => beside.some(names)),
          streams,
        );
        if (batch.length === 0) return;
      }
    }
    throw new StreamContended(mailbox.stream, maxConflicts);
  }

  /**
   * Another process may have run one of these commands; its events then carry the same ids. The caller reads
   * the head again, and the command finds its work done.
   */
  private async append(
    account: StreamWrite,
    beside: readonly StreamWrite[],
  ): Promise<Appended | 'duplicate-id'> {
    try {
      if (beside.length === 0) {
        const { stream, expectedRevision, events } = account;
        const outcome = await this.store.append(stream, expectedRevision, events);
        if (outcome.outcome !== 'appended') return { outcome: outcome.outcome, streams: [stream] };
        return { ...outcome, lastPosition: outcome.position };
      }
      if (!this.store.appendTogether) throw new Error('this store writes one stream at a time');
      const outcome = await this.store.appendTogether([account, ...beside]);
      if (outcome.outcome !== 'appended') return outcome;
      const written = outcome.writes.filter((write) => write !== undefined);
      // The account is the first write, and has events.
      return { ...outcome, ...written[0]!, lastPosition: written.at(-1)!.position };
    } catch (error) {
      if (error instanceof DuplicateEventId) return 'duplicate-id';
      throw error;
    }
  }

  /** An id is taken, and the head does not show why. Only the command that claims the id may fail. */
  private async oneByOne(mailbox: Mailbox, batch: readonly Waiting[]): Promise<void> {
    const [only, ...others] = batch;
    if (only && others.length === 0) {
      only.reject(new DuplicateEventId(`${only.context?.commandId} has been carried out and undone before`));
      return;
    }
    for (const command of batch) await this.commit(mailbox, [command]);
  }

  /**
   * Brings the cached account to the stream's head. It starts from the cache, else from a snapshot, else from
   * revision 0.
   */
  private async catchUp(mailbox: Mailbox): Promise<Loaded<Account>> {
    const base = mailbox.known ?? (await this.loadSnapshot(mailbox));
    // The fold changes the open charges in place. If it fails half-way, the caller drops the whole state.
    return (mailbox.known = await load(this.store, mailbox.stream, aggregate, base));
  }

  private async loadSnapshot(mailbox: Mailbox): Promise<Loaded<Account> | undefined> {
    const snapshot = await this.snapshots.load(mailbox.stream, accountFoldVersion);
    if (!snapshot) return undefined;
    // Safe cast: `toSnapshot` of this fold version wrote it, and the load checks the version.
    const { account, position } = snapshot.state as { account: unknown; position: string };
    if (!(await this.isAt(mailbox.stream, snapshot.revision, BigInt(position)))) {
      // The log has lost this state in a restore.
      await this.snapshots.drop(mailbox.stream, accountFoldVersion, snapshot.revision);
      return undefined;
    }
    mailbox.lastSnapshot = snapshot.revision;
    return { state: fromSnapshot(account), revision: snapshot.revision, position: BigInt(position) };
  }

  /** Runs once for each account that a process loads from a snapshot. */
  private async isAt(stream: string, revision: bigint, position: bigint): Promise<boolean> {
    const slice = await this.store.readStream(stream, { from: revision, limit: 1 });
    return slice.kind === 'found' && slice.events[0]?.position === position;
  }

  /** Saved in the background: a snapshot only shortens a later read, so a lost one does no harm. */
  private snapshot(mailbox: Mailbox, { state, revision, position }: Loaded<Account>): void {
    if (state.status === 'unopened' || revision === 'no-stream' || position === undefined) return;
    // A snapshot holds every open charge. The more there are, the rarer it is, so the cost per event stays the
    // same.
    const every = BigInt(Math.max(this.snapshotEvery, state.charges.size));
    if (revision - mailbox.lastSnapshot < every) return;
    mailbox.lastSnapshot = revision;
    const content = { account: toSnapshot(state), position: position.toString() };
    this.snapshots
      .save(mailbox.stream, accountFoldVersion, revision, content)
      .catch((err: unknown) => this.logger?.warn({ err }, 'a snapshot was not saved'));
  }
}
