import type { RecordedEvent } from '#event-store/event-store.js';
import { short, type Report } from './stored-data.js';

/** 7: revisions without gaps, ids that are unique, positions that grow. */
export class LogBook {
  readonly #next = new Map<string, bigint>();
  readonly #ids = new Set<string>();
  #position = -1n;

  constructor(private readonly report: Report) {}

  observe({ id, stream, revision, position, type }: RecordedEvent): void {
    const next = this.#next.get(stream) ?? 0n;
    if (revision !== next) this.report(`7: ${stream} goes on with revision ${revision} instead of ${next}`);
    if (this.#ids.has(id)) this.report(`7: the event id of ${type} in ${short(stream)} is there twice`);
    if (position <= this.#position) this.report(`7: position ${position} comes after ${this.#position}`);
    this.#next.set(stream, revision + 1n);
    this.#ids.add(id);
    this.#position = position;
  }
}
