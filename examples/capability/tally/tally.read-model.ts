import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReadModel } from '#read-store/read-model.js';

@Entity('tally')
class TallyRow {
  @PrimaryColumn({ type: 'text' })
  tenant: string;

  @PrimaryColumn({ type: 'text' })
  workflow: string;

  @Column({ type: 'integer' })
  jobs: number;
}

/** Folded from the whole history: jobs from before the capability was installed count as well. */
export const tallyReadModel: ReadModel<TallyRow> = {
  name: 'tally',
  version: 1,
  entity: TallyRow,
  categories: ['job'],
  keysSpanStreams: true,
  keysOf: (event) => (event.type === 'JobQueued' ? [[event.data.tenant, event.data.operation]] : []),
  evolve: (row, _event, [tenant, workflow]) => ({
    tenant: String(tenant),
    workflow: String(workflow),
    jobs: (row?.jobs ?? 0) + 1,
  }),
};
