import { Injectable } from '@nestjs/common';
import type { Owner } from '#application/picture/stored-pictures.js';
import { ReadModels } from '#application/read-models.js';
import { recordsOfPersons } from '#capabilities/parts.js';
import { Database } from '#read-store/database.js';
import type { ErasureTarget } from './erasure.events.js';
import { ReachedReads } from './reached-reads.js';

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

/** The ids of all pages. */
export async function* pages(
  read: (page: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly string[]>,
): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const page = await read({ after, limit: thingsAPage });
    yield* page;
    if (page.length < thingsAPage) return;
    after = page.at(-1);
  }
}

/** Finds what belongs to a person whom a tenant calls by a name of its own. */
@Injectable()
export class Persons {
  constructor(
    private readonly reads: ReadModels,
    private readonly database: Database,
    private readonly reached: ReachedReads,
  ) {}

  /** Whether the read models show everything up to this moment. Waits for them some seconds. */
  async areShown({ environment }: Owner): Promise<boolean> {
    const records = [...(await recordsOfPersons()).values()].map(({ readModel }) => readModel);
    return this.reached.areShown(environment, ['assets', 'jobs', 'products', ...records], patienceMs);
  }

  async *thingsOf({ environment, tenant }: Owner, name: string): AsyncGenerator<ErasureTarget> {
    const { dataSubjects } = this.reads.of(environment);
    for (const [plural, kind] of kinds) {
      const ids = pages((page) => dataSubjects.things(tenant, name, { kind: plural, ...page }));
      for await (const id of ids) yield { kind, id };
    }
    const person = { environment, tenant, name };
    for (const [category, records] of await recordsOfPersons()) {
      const ids = pages((page) => records.find(this.database, person, page));
      for await (const id of ids) yield { kind: 'record', category, id };
    }
  }

  /** What one erasure takes of them. */
  async someThingsOf(owner: Owner, name: string): Promise<ThingsOfPerson> {
    const things: ErasureTarget[] = [];
    for await (const thing of this.thingsOf(owner, name)) {
      if (things.length === mostThings) return { things, more: true };
      things.push(thing);
    }
    return { things, more: false };
  }
}
