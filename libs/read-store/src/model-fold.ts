import type { RecordedEvent } from '#event-store/event-store.js';
import { asError } from './consumer-errors.js';
import type { EventDelivery } from './projected-event.js';
import type { ParkedEvent } from './parked-events.js';
import type { Checkpoint } from './projection-checkpoints.js';
import { keyText, ProjectionTable, type ModelRow } from './projection-table.js';
import { changesRows, type PrimaryKey, type ReadModel } from './read-model.js';

/** A read model that a runner works on. `checkpoint.position` and `parkedStreams` follow each commit. */
export interface ActiveModel {
  readonly model: ReadModel<object>;
  readonly table: ProjectionTable;
  checkpoint: Checkpoint;
  readonly parkedStreams: Set<string>;
}

interface Touch {
  readonly delivery: EventDelivery;
  /** With their texts. */
  readonly keys: readonly (readonly [id: string, key: PrimaryKey])[];
  readonly error: Error | undefined;
}

/** The effect of a batch on one read model. Load the rows of `changedKeys`; then `fold` gives the changes. */
export class ModelFold {
  private readonly touches: Touch[] = [];
  /** By the text of the key. */
  readonly touchedKeys = new Map<string, PrimaryKey>();
  /** The keys of rows that may exist before the batch. These rows have to be loaded before the fold. */
  readonly changedKeys: Map<string, PrimaryKey>;
  /** By key; undefined: the batch leaves no such row. */
  readonly after = new Map<string, ModelRow | undefined>();
  /** Streams that this batch parks. */
  readonly parkedNow = new Set<string>();
  readonly parked: ParkedEvent[] = [];
  readonly upserts: ModelRow[] = [];
  readonly deletes: PrimaryKey[] = [];

  constructor(
    readonly active: ActiveModel,
    deliveries: readonly EventDelivery[],
    /** The last position to fold; later events must wait. */
    until?: bigint,
  ) {
    const { categories, rowPerEvent } = active.model;
    this.changedKeys = rowPerEvent ? new Map() : this.touchedKeys;
    const position = active.checkpoint.position ?? -1n;
    for (const delivery of deliveries) {
      if (delivery.recorded.position <= position || !categories.includes(delivery.category)) continue;
      if (until !== undefined && delivery.recorded.position > until) break;
      this.touch(delivery);
    }
  }

  /**
   * `before` is the fold of the batch that is being committed. The loaded rows may or may not show that batch.
   */
  fold(loaded: readonly ModelRow[], before: ModelFold | undefined): void {
    const { table } = this.active;
    const rows = new Map<string, ModelRow | undefined>(
      loaded.map((row) => [keyText(table.keyOfRow(row)), row]),
    );
    for (const id of this.touchedKeys.keys()) if (before?.after.has(id)) rows.set(id, before.after.get(id));
    this.foldOnto(rows, before?.parkedNow);
    for (const [id, key] of this.touchedKeys) {
      if (!this.after.has(id)) continue;
      const [was, row] = [rows.get(id), this.after.get(id)];
      // Many events leave a row as it was.
      if (row === was) continue;
      if (row) this.upserts.push(row);
      else this.deletes.push(key);
    }
  }

  /**
   * Folds onto the current rows, by the text of the key. `parkedBefore`: streams that are not in
   * `parkedStreams` yet.
   */
  foldOnto(
    rows: Pick<ReadonlyMap<string, ModelRow | undefined>, 'get'>,
    parkedBefore?: ReadonlySet<string>,
  ): void {
    const { model, parkedStreams } = this.active;
    for (const { delivery, keys, error } of this.touches) {
      const { stream } = delivery.recorded;
      if (parkedStreams.has(stream) || parkedBefore?.has(stream) || this.parkedNow.has(stream)) {
        this.park(delivery.recorded, null);
        continue;
      }
      try {
        if (error !== undefined) throw error;
        // An event changes all of its rows or none. So every row is folded before the first one is kept.
        const changes = keys.map(([id, key]) => {
          const row = this.after.has(id) ? this.after.get(id) : rows.get(id);
          // Without an error there is an event. Its fold gives rows, and their columns are their properties.
          return [id, model.evolve(row, delivery.event!, key) as ModelRow | undefined] as const;
        });
        for (const [id, row] of changes) this.after.set(id, row);
      } catch (poison) {
        this.parkedNow.add(stream);
        this.park(delivery.recorded, describe(asError(poison)));
      }
    }
  }

  /** Parks the batch's only event, because PostgreSQL has refused the rows that the fold made from it. */
  parkInstead(recorded: RecordedEvent, error: string): void {
    this.upserts.length = 0;
    this.deletes.length = 0;
    this.park(recorded, error);
  }

  private touch(delivery: EventDelivery): void {
    let keys: readonly PrimaryKey[] = [];
    let error = delivery.error;
    try {
      if (delivery.event) keys = this.active.model.keysOf(delivery.event);
      if (keys.some(isUnstorable)) throw new Error('a key holds a NUL, which no text of PostgreSQL can');
    } catch (thrown) {
      error = asError(thrown);
      keys = [];
    }
    if (keys.length === 0 && error === undefined) return;
    const touched = keys.map((key) => [keyText(key), key] as const);
    for (const [id, key] of touched) this.touchedKeys.set(id, key);
    const { model } = this.active;
    // In the other models both maps are one.
    if (model.rowPerEvent && changesRows(model, delivery.recorded))
      for (const [id, key] of touched) this.changedKeys.set(id, key);
    this.touches.push({ delivery, keys: touched, error });
  }

  private park(recorded: RecordedEvent, error: string | null): void {
    const { name, generation } = this.active.checkpoint;
    this.parked.push({ name, generation, recorded, error });
  }
}

/** The rows that a read model makes from these events alone, without any existing rows. */
export function foldFromNothing(
  environment: string,
  model: ReadModel<object>,
  deliveries: readonly EventDelivery[],
  generation = 0,
): ModelFold {
  const { name, version } = model;
  const checkpoint = { name, generation, version, position: null, epoch: 0n };
  const table = new ProjectionTable(environment, model, generation);
  const fold = new ModelFold({ model, table, checkpoint, parkedStreams: new Set() }, deliveries);
  fold.fold([], undefined);
  return fold;
}

export function describe(error: Error): string {
  return error.stack ?? error.message;
}

/** PostgreSQL cannot even query such a key, so this check comes before the row is loaded. */
function isUnstorable(key: PrimaryKey): boolean {
  return key.some((part) => typeof part === 'string' && part.includes('\0'));
}
