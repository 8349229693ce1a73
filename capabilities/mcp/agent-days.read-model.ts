import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ReadModel } from '#read-store/read-model.js';

/** A stream of offers: those of one key and day. */
@Entity('agent_days')
@Index('agent_days_by_day', ['day'])
export class AgentDayRow {
  /** The last part of the stream's name: `{key}-{day}`. */
  @PrimaryColumn({ type: 'text' })
  streamId: string;

  /** As 2026-01-31, UTC. */
  @Column({ type: 'text' })
  day: string;
}

export const agentDays = 'agent_days';

export const agentDaysReadModel: ReadModel<AgentDayRow> = {
  name: agentDays,
  version: 1,
  entity: AgentDayRow,
  categories: ['spend'],
  rowsNeverChange: true,
  keysOf: (event) => (event.type === 'SpendOffered' ? [[event.streamId]] : []),
  evolve: (row, { streamId }) => row ?? { streamId, day: streamId.slice(-'2026-01-31'.length) },
};
