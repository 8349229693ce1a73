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

/** The price of a workflow now, and whether it may be dispatched. */
export interface OperationTerms {
  /** For a batch: per photograph. */
  readonly credits: number;
  readonly enabled: boolean;
  readonly scheduled: readonly ScheduledPrice[];
}

/** The part of {@link Operations} that a dispatch uses. */
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
 * The operator's decisions on each workflow, on top of the workflow table. Money depends on them, so every
 * dispatch reads the log: no process charges an old price once the operator's command has returned. Each read
 * fetches only the events since the last one.
 */
@Injectable()
export class Operations {
  /** By environment and name; as many as there are workflows. */
  private readonly reads = new Map<string, SharedRead<Loaded<typeof initialOperation>>>();

  constructor(
    private readonly store: EventStore,
    @Inject(Clock) private readonly clock: Clock = systemClock,
  ) {}

  /**
   * @param workflow a name of the workflow table. Each item of a batch costs the price of its own workflow; a
   * batch is enabled while both workflows are.
   * @throws EventStoreUnavailable; RangeError for a name that is not in the table
   */
  async termsOf(environment: Environment, workflow: string): Promise<OperationTerms> {
    const { batch } = workflowOf(workflow);
    const asked = this.readOf(environment, workflow).ask();
    if (!batch) return this.termsIn(await asked, workflow);
    const [own, item] = await Promise.all([asked, this.termsOf(environment, batch.workflow)]);
    return { ...item, enabled: own.state.enabled && item.enabled };
  }

  /**
   * The terms as this process last read them, mostly without a read; not for a batch. They may be old: an
   * append with `guard` is then refused.
   */
  async rememberedTermsOf(
    environment: Environment,
    workflow: string,
  ): Promise<OperationTerms & { readonly guard: StreamWrite }> {
    const stream = streamName(environment, 'operation', workflow);
    const read = this.readOf(environment, workflow);
    const known = read.last ?? (await read.ask());
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
          // This workflow cannot be dispatched; the others still can.
          return { credits: workflowOf(name).credits, enabled: false, scheduled: none };
        });
        return { name, opClass, ...(await terms) };
      }),
    );
  }

  private termsIn({ state }: Loaded<typeof initialOperation>, workflow: string): OperationTerms {
    // Most prices were never scheduled; then the clock is not read.
    const { scheduled, enabled } = state;
    const credits = scheduled ? priceAt(state, this.clock().toISOString()) : state.credits;
    return { credits: credits ?? workflowOf(workflow).credits, enabled, scheduled: scheduled ?? none };
  }

  private readOf(environment: Environment, workflow: string) {
    const stream = streamName(environment, 'operation', workflow);
    let read = this.reads.get(stream);
    if (!read) {
      read = new SharedRead((last) => load(this.store, stream, operationAggregate, last));
      this.reads.set(stream, read);
    }
    return read;
  }
}

const none: readonly ScheduledPrice[] = [];

/**
 * A shared read whose answer is never older than its question. A call that comes during a read joins the next
 * one, together with all other such calls. Under load, reads therefore follow one another, however many callers
 * there are.
 */
export class SharedRead<Value> {
  /** The answer of the last read that succeeded. */
  last: Value | undefined;
  private current: Promise<Value> | undefined;
  private next: Promise<Value> | undefined;

  constructor(private readonly read: (last: Value | undefined) => Promise<Value>) {}

  /** @throws the errors of `read`, to all who share it */
  ask(): Promise<Value> {
    if (!this.current) return this.begin();
    // The result of the current read may be older than the question.
    const over = this.current.then(
      () => undefined,
      () => undefined,
    );
    return (this.next ??= over.then(() => this.begin()));
  }

  private begin(): Promise<Value> {
    this.next = undefined;
    const reading = this.read(this.last).then((value) => (this.last = value));
    this.current = reading;
    const end = () => {
      if (this.current === reading) this.current = undefined;
    };
    reading.then(end, end);
    return reading;
  }
}
