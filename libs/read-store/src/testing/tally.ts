import pg from 'pg';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReadModel } from '../read-model.js';
import { createFirstGeneration } from '../entity-table.js';

/** The credits that a tenant has bought: the smallest read model that shows a lost or doubled event. */
@Entity('tally')
export class TallyRow {
  @PrimaryColumn({ type: 'text' })
  tenant: string;

  @Column({ type: 'integer' })
  purchases: number;

  @Column({ type: 'integer' })
  credits: number;

  @Column({ type: 'text' })
  lastLabel: string;

  @Column({ type: 'jsonb' })
  amounts: number[];

  @Column({ type: 'timestamptz', nullable: true })
  lastAt: Date | null;
}

/** Chokes on a purchase with this label. */
export const poison = 'poison';

export function tally(name = 'tally', version = 1): ReadModel<TallyRow> {
  return {
    name,
    version,
    entity: TallyRow,
    categories: ['account'],
    keysOf: ({ type, streamId }) =>
      type === 'CreditsPurchased' || type === 'AccountSuspended' ? [[streamId]] : [],
    evolve: (row, event) => {
      if (event.type === 'AccountSuspended') return undefined;
      if (event.type !== 'CreditsPurchased') throw new Error(event.type);
      if (event.data.label === poison) throw new Error('this label cannot be folded');
      return {
        tenant: event.streamId,
        purchases: (row?.purchases ?? 0) + 1,
        credits: (row?.credits ?? 0) + event.data.amount,
        lastLabel: event.data.label,
        amounts: [...(row?.amounts ?? []), event.data.amount],
        lastAt: new Date(event.data.at),
      };
    },
  };
}

/** The first generation of a tally, with its view, in the schema `live`. */
export async function createTallyTable(url: string, name = 'tally'): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await createFirstGeneration(client, 'live', tally(name));
  await client.end();
}
