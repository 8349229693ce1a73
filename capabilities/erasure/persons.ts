import { Injectable } from '@nestjs/common';
import type { Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { ReadModels } from '#application/read-models.js';
import { EventStore } from '#event-store/event-store.js';
import type { ErasureTarget } from './erasure.events.js';

/** What belongs to a person. */
export interface ThingsOfPerson {
  readonly things: readonly ErasureTarget[];
  /** There are more than `mostThings`. */
  readonly more: boolean;
}

/** One event names all of them, and stays far below the longest append. */
const mostThings = 5_000;
const thingsAPage = 1_000;

const kinds = [
  ['uploads', 'upload'],
  ['jobs', 'job'],
  ['products', 'product'],
] as const;

const patienceMs = 5_000;

/** Finds what belongs to a person whom a tenant calls by a name of its own. */
@Injectable()
export class Persons {
  constructor(
    private readonly store: EventStore,
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  /** Everything up to this moment; undefined: the read models do not show it yet. */
  async thingsOf(caller: Caller, name: string): Promise<ThingsOfPerson | undefined> {
    const { environment, tenant } = caller;
    const head = await this.store.head();
    const reached = ['assets', 'jobs', 'products'].map((model) =>
      this.consistency.waitFor(caller, model, head, patienceMs),
    );
    if ((await Promise.all(reached)).includes(false)) return undefined;
    const { dataSubjects } = this.reads.of(environment);
    const things: ErasureTarget[] = [];
    for (const [plural, kind] of kinds)
      for (let after: string | undefined; ;) {
        const limit = Math.min(thingsAPage, mostThings + 1 - things.length);
        const page = await dataSubjects.things(tenant, name, { kind: plural, after, limit });
        things.push(...page.map((id): ErasureTarget => ({ kind, id })));
        if (things.length > mostThings) return { things: things.slice(0, mostThings), more: true };
        if (page.length < limit) break;
        after = page.at(-1);
      }
    return { things, more: false };
  }
}
