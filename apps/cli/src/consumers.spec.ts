import { describe, expect, it } from '@jest/globals';
import { judgeConsumers, type ConsumerStatus } from './consumers.js';

const well: ConsumerStatus = {
  ...{ kind: 'read model', env: 'live', name: 'jobs', state: 'live', halted_because: null },
  ...{ position: '7', lag: 0, lag_seconds: null, parked: 0 },
};

describe('consumers', () => {
  it('are well when they are up to date, or behind by a moment', () => {
    expect(judgeConsumers([well])).toBe('all up to date');
    expect(judgeConsumers([well, { ...well, lag: 3, lag_seconds: 2 }])).toBe('at most 3 events behind');
  });

  it.each([
    ['none is there', [], 'none yet: no projector has ever run on this database'],
    [
      'one is halted',
      [{ ...well, state: 'halted', halted_because: 'a hole' }],
      'live jobs is halted: a hole',
    ],
    [
      'one is of another store',
      [{ ...well, state: 'beyond the log' }],
      'of live jobs lie beyond the end of the log',
    ],
    ['events are parked', [well, { ...well, parked: 2 }], '2 events are parked'],
    ['one is late', [{ ...well, lag: 4, lag_seconds: 60 }], 'live jobs is 4 events, 60 s behind'],
    [
      'one is very late',
      [{ ...well, lag: 500, lag_seconds: 99 }],
      'live jobs is 500 or more events, 99 s behind',
    ],
  ])('are not well when %s', (_case, statuses, says) => {
    expect(() => judgeConsumers(statuses)).toThrow(says);
  });
});
