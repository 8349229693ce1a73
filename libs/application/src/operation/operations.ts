import { Injectable } from '@nestjs/common';
import { evolveOperation, initialOperation } from '#domain/operation/operation.js';
import type { OperationEvent } from '#domain/operation/operation.events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { WorkflowClass } from '#workflows/define-workflow.js';
import { workflowOf, workflows } from '#workflows/workflows.js';
import { EventStore } from '#event-store/event-store.js';
import { load, type Aggregate, type Loaded } from '../aggregate.js';
import { SharedRead } from '../shared-read.js';

/** What a dispatch of a workflow costs now, and whether it may be dispatched at all. */
export interface OperationTerms {
  /** Of each photograph for a batch. */
  readonly credits: number;
  readonly enabled: boolean;
}

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

  constructor(private readonly store: EventStore) {}

  /**
   * @param name of the workflow table. A batch costs, for each item, what the workflow of its items costs, and is
   *   enabled while both are.
   * @throws EventStoreUnavailable; RangeError for a name that is not in the table
   */
  async termsOf(environment: Environment, name: string): Promise<OperationTerms> {
    const { batch } = workflowOf(name);
    const own = this.readOf(environment, name).ask();
    if (!batch) return own;
    const [{ enabled }, item] = await Promise.all([own, this.termsOf(environment, batch.workflow)]);
    return { credits: item.credits, enabled: enabled && item.enabled };
  }

  /** All workflows, in the order of the table, as they are now. */
  list(environment: Environment): Promise<OperationView[]> {
    return Promise.all(
      workflows.map(async ({ name, opClass }) => {
        return { name, opClass, ...(await this.termsOf(environment, name)) };
      }),
    );
  }

  private readOf(environment: Environment, name: string): SharedRead<OperationTerms> {
    const stream = streamName(environment, 'operation', name);
    let read = this.reads.get(stream);
    if (!read) {
      let known: Loaded<typeof initialOperation> | undefined;
      read = new SharedRead(async () => {
        known = await load(this.store, stream, operationAggregate, known);
        return { credits: known.state.credits ?? workflowOf(name).credits, enabled: known.state.enabled };
      });
      this.reads.set(stream, read);
    }
    return read;
  }
}
