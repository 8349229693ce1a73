import type { Environment } from '#domain/streams.js';
import type { AuditedEvent, EventPlace } from '../audited-event.js';
import { DigestRows } from '../rows/digest-rows.js';
import type { RowModel } from '../rows/row-model.js';
import type { ServingModel } from './read-store-snapshot.js';

/** A read model that serves, and the rows that it must have. */
export class ExpectedRows {
  readonly rows: DigestRows;
  /** Events of its streams that lie beyond its checkpoint. */
  beyond = 0;

  constructor(
    readonly model: RowModel,
    readonly serving: ServingModel,
  ) {
    this.rows = new DigestRows(model);
  }

  get environment(): Environment {
    return this.serving.environment;
  }

  get table(): string {
    return `${this.serving.environment}.${this.serving.name}`;
  }

  /** Whether the event is of a stream that the read model is made of. */
  consumes({ environment, category }: EventPlace): boolean {
    return environment === this.serving.environment && this.model.categories.includes(category);
  }

  /** Whether the read model has come so far. */
  hasPassed({ position }: EventPlace): boolean {
    return this.serving.position !== undefined && position <= this.serving.position;
  }

  apply(event: AuditedEvent): void {
    if (!this.consumes(event)) return;
    if (this.hasPassed(event)) this.model.fold(event, this.rows);
    else this.beyond++;
  }
}
