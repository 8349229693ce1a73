import { Inject, Injectable } from '@nestjs/common';
import {
  evolveOperation,
  initialOperation,
  priceAt,
  type ScheduledPrice,
} from '#domain/operation/operation.js';
import { Clock, systemClock } from '#platform/clock.js';
import type { OperationEvent } from '#domain/operation/operation.events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { WorkflowClass } from '#workflows/define-workflow.js';
import { workflowOf, workflows } from '#workflows/workflows.js';
import { EventStore, UnprovenEvent, type StreamWrite } from '#event-store/event-store.js';
import { load, type Aggregate, type Loaded } from '../aggregate.js';

/** What a dispatch of a workflow costs now, and whether it may be dispatched at all. */
export interface OperationTerms {
  /** Of each photograph for a batch. */
  readonly credits: number;
  readonly enabled: boolean;
  /** Prices that count from an instant on. */
  readonly scheduled: readonly ScheduledPrice[];
}

/** All that a dispatch asks of {@link Operations}. */
export type Prices = Pick<Operations, 'termsOf' | 'rememberedTermsOf'>;

export interface OperationView extends OperationTerms {
  readonly name: string;
  readonly opClass: WorkflowClass;
}

export const operationAggregate: Aggregate<typeof initialOperation, OperationEvent> = {
  initial: initialOperation,
  evolve: evolveOperation,
};

/**
 * What the operator decided about each workflow, on top of the workflow table. Money depends on it, so every dispatch
 * goes by what the log says when it asks: no process charges an old price once the operator's command has returned.
 * What was read before is kept, and only what came since is read.
 */
@Injectable()
export class Operations {
  /** By environment and name; as many as there are workflows. */
  private readonly reads = new Map<string, SharedRead<OperationTerms>>();
  private readonly known = new Map<string, Loaded<typeof initialOperation>>();

  constructor(
    private readonly store: EventStore,
    @Inject(Clock) private readonly clock: Clock = systemClock,
  ) {}

  /**
   * @param workflow a name of the workflow table. A batch costs, for each item, what the workflow of its items costs, and is
   *   enabled while both are.
   * @throws EventStoreUnavailable; RangeError for a name that is not in the table
   */
  async termsOf(environment: Environment, workflow: string): Promise<OperationTerms> {
    const { batch } = workflowOf(workflow);
    const own = this.readOf(environment, workflow).ask();
    if (!batch) return own;
    const [{ enabled }, item] = await Promise.all([own, this.termsOf(environment, batch.workflow)]);
    return { ...item, enabled: enabled && item.enabled };
  }

  /**
   * The same of a workflow without a batch as the log last said it, mostly without asking. It may be old: an append that
   * takes the guard along does not happen then.
   */
  async rememberedTermsOf(
    environment: Environment,
    workflow: string,
  ): Promise<OperationTerms & { readonly guard: StreamWrite }> {
    const stream = streamName(environment, 'operation', workflow);
    if (!this.known.has(stream)) await this.readOf(environment, workflow).ask();
    // The read has just put it there.
    const known = this.known.get(stream)!;
    return {
      ...this.termsIn(known, workflow),
      guard: { stream, expectedRevision: known.revision, events: [] },
    };
  }

  /** All workflows, in the order of the table, as they are now. */
  list(environment: Environment): Promise<OperationView[]> {
    return Promise.all(
      workflows.map(async ({ name, opClass }) => {
        const terms = this.termsOf(environment, name).catch((error: unknown) => {
          if (!(error instanceof UnprovenEvent)) throw error;
          // It cannot be dispatched, which keeps nobody from the others.
          return { credits: workflowOf(name).credits, enabled: false, scheduled: none };
        });
        return { name, opClass, ...(await terms) };
      }),
    );
  }

  private termsIn({ state }: Loaded<typeof initialOperation>, workflow: string): OperationTerms {
    // Most prices were never scheduled: then no time is looked at.
    const { scheduled, enabled } = state;
    const credits = scheduled ? priceAt(state, this.clock().toISOString()) : state.credits;
    return { credits: credits ?? workflowOf(workflow).credits, enabled, scheduled: scheduled ?? none };
  }

  private readOf(environment: Environment, workflow: string): SharedRead<OperationTerms> {
    const stream = streamName(environment, 'operation', workflow);
    let read = this.reads.get(stream);
    if (!read) {
      read = new SharedRead(async () => {
        const known = await load(this.store, stream, operationAggregate, this.known.get(stream));
        this.known.set(stream, known);
        return this.termsIn(known, workflow);
      });
      this.reads.set(stream, read);
    }
    return read;
  }
}

const none: readonly ScheduledPrice[] = [];

/**
 * A read whose answer is never older than the question. A call that comes while a read is under way shares the next one with
 * all others who do: under load that is one read after the other, however many ask.
 */
export class SharedRead<Value> {
  private current: Promise<Value> | undefined;
  private next: Promise<Value> | undefined;

  constructor(private readonly read: () => Promise<Value>) {}

  /** @throws what `read` throws, to all who share it */
  ask(): Promise<Value> {
    if (!this.current) return this.begin();
    // What the one under way gives may have been read before the question.
    const over = this.current.then(
      () => undefined,
      () => undefined,
    );
    return (this.next ??= over.then(() => this.begin()));
  }

  private begin(): Promise<Value> {
    this.next = undefined;
    const reading = this.read();
    this.current = reading;
    const end = () => {
      if (this.current === reading) this.current = undefined;
    };
    reading.then(end, end);
    return reading;
  }
}
