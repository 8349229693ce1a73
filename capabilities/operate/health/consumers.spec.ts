import { describe, expect, it } from 'vitest';
import { judgeConsumers, type ConsumerStatus } from './consumers.js';

const well: ConsumerStatus = {
  kind: 'read model',
  env: 'live',
  name: 'jobs',
  state: 'live',
  halted_because: null,
  position: '7',
  lag: 0,
  lag_seconds: null,
  parked: 0,
};

describe('consumers', () => {
  it('are well when they are up to date, or behind by a moment', () => {
    expect(judgeConsumers([well])).toBe('all up to date');
    expect(judgeConsumers([well, { ...well, lag: 3, lag_seconds: 2 }])).toBe('at most 3 events behind');
  });

  it.each([
    ['none is there', [], 'none yet: no projector has ever run on this database', 'start a projector'],
    [
      'one is halted',
      [{ ...well, state: 'halted', halted_because: 'a hole' }],
      'live jobs is halted: a hole',
      'run "atelier projections rebuild jobs"',
    ],
    [
      'a process manager is halted',
      [
        {
          ...well,
          kind: 'process manager',
          name: 'charge-closer',
          state: 'halted',
          halted_because: 'a hole',
        },
      ],
      'live charge-closer is halted: a hole',
      'start the projector again',
    ],
    [
      'one is of another store',
      [{ ...well, state: 'beyond the log' }],
      'of live jobs lie beyond the end of the log',
      'correct EVENT_STORE_URL',
    ],
    [
      'events are parked',
      [well, { ...well, parked: 2 }],
      '2 events are parked',
      '"atelier parked list" says why',
    ],
    [
      'one is late',
      [{ ...well, lag: 4, lag_seconds: 60 }],
      'live jobs is 4 events, 60 s behind',
      'start a projector',
    ],
    [
      'one is very late',
      [{ ...well, lag: 500, lag_seconds: 99 }],
      'live jobs is 500 or more events, 99 s behind',
      'start a projector',
    ],
  ] as const)('are not well when %s, and what to do is said', (_case, statuses, says, advice) => {
    const judge = () => judgeConsumers(statuses);
    expect(judge).toThrow(says);
    expect(judge).toThrow(expect.objectContaining({ advice: expect.stringContaining(advice) }));
  });
});
