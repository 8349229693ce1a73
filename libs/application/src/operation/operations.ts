import { evolve, initialOperation } from '#domain/operation/operation.js';
import type { OperationEvent } from '#domain/operation/operation.events.js';
import { streamName, type Environment } from '#domain/streams.js';
import { workflowOf, workflows, type OperationClass } from '#domain/workflow/workflows.js';
import type { EventStore } from '#event-store/event-store.js';
import { load, type Aggregate } from '../aggregate.js';
import type { Announcement, Listener } from '../announcements.js';
import { Remembered } from '../remembered.js';

/** What a dispatch of a workflow costs now, and whether it may be dispatched at all. */
export interface OperationTerms {
  /** Of each photograph for a batch. */
  readonly credits: number;
  readonly enabled: boolean;
}

export interface OperationView extends OperationTerms {
  readonly name: string;
  readonly opClass: OperationClass;
}

export const operationAggregate: Aggregate<typeof initialOperation, OperationEvent> = {
  initial: initialOperation,
  evolve,
};

/**
 * What the operator decided about each workflow, on top of the workflow table. Every dispatch asks, so it is remembered
 * until it changes, in whichever process that happens; should this one be cut off from the log, for five seconds at
 * most: money depends on it.
 */
export class Operations implements Listener {
  readonly category = 'operation';
  readonly types = ['OperationPriced', 'OperationEnabled', 'OperationDisabled'] as const;
  readonly #terms: Remembered<OperationTerms>;

  constructor(
    private readonly store: EventStore,
    { max = 1_000, ...options }: { readonly max?: number; readonly now?: () => number } = {},
  ) {
    this.#terms = new Remembered<OperationTerms>({ max, ttlMs: 5_000, ...options });
  }

  /**
   * @param name of the workflow table. A batch costs, for each item, what the workflow of its items costs, and is
   *   enabled while both are.
   * @throws EventStoreUnavailable; RangeError for a name that is not in the table
   */
  async termsOf(environment: Environment, name: string): Promise<OperationTerms> {
    const { batch } = workflowOf(name);
    const own = this.#terms.get(`${environment}.${name}`, () => this.#read(environment, name));
    if (!batch) return own;
    const [{ enabled }, item] = await Promise.all([own, this.termsOf(environment, batch.workflow)]);
    return { credits: item.credits, enabled: enabled && item.enabled };
  }

  /** All workflows, in the order of the table, as they are now: asks the log and not the memory. */
  list(environment: Environment): Promise<OperationView[]> {
    return Promise.all(
      workflows.map(async ({ name, opClass }) => {
        this.#terms.forget(`${environment}.${name}`);
        return { name, opClass, ...(await this.termsOf(environment, name)) };
      }),
    );
  }

  hear({ environment, id }: Announcement): void {
    this.#terms.forget(`${environment}.${id}`);
  }

  async #read(environment: Environment, name: string): Promise<OperationTerms> {
    const stream = streamName(environment, 'operation', name);
    const { state } = await load(this.store, stream, operationAggregate);
    return { credits: state.credits ?? workflowOf(name).credits, enabled: state.enabled };
  }
}
