import { describe, expect, it } from 'vitest';
import { roles, type Role, type SeenProcess } from '#read-store/signs-of-life.js';
import { reasonsFor, type Facts } from './reasons.js';

const env = 'live';
const seen = (role: Role, silent_seconds = 1): SeenProcess => ({
  role,
  host: 'here',
  pid: 7,
  release: '1.0.0',
  started_at: new Date(0),
  silent_seconds,
  silent: silent_seconds > 10,
  troubles: {},
});
const well: Facts = {
  processes: roles.map((role) => seen(role)),
  queues: [{ env, waiting: 3, active: 2, oldest_seconds: 4 }],
  last_hour: [{ env, ended: 100, refund_rate: 0.02, errors: [{ error_code: 'ENGINE_POLICY' }] }],
  consumers: [{ env, name: 'jobs', state: 'live', halted_because: null, lag: 2, lag_seconds: 1, parked: 0 }],
  stranded: [{ env, jobs: 0 }],
  charges: [{ env, orphaned: 0 }],
  capabilities: [],
  last_audit: { by: 'ada', at: '2026-01-01T00:00:00Z', holds: true, summary: 'all holds', outcome: 'done' },
  failed_audit: null,
  alerts: {
    told: [],
    undelivered: [{ host: 'hooks.example', messages: 1, oldest_seconds: 90, error: null }],
  },
};
const [consumer] = well.consumers;
const { last_audit: audit } = well;

describe('why people wait', () => {
  it('has no answer while all is as usual', () => {
    expect(reasonsFor(well)).toEqual([]);
  });

  it.each<[string, Partial<Facts>, string]>([
    [
      'processes',
      { processes: [seen('api'), seen('projector', 40), seen('worker')] },
      'projector: process 7 on here is silent for 40 s; none gives a sign of life: dispatches are accepted',
    ],
    [
      'processes',
      { processes: [...well.processes, seen('worker', 12)] },
      'worker: process 7 on here is silent for 12 s; 1 other works on',
    ],
    ['processes', { processes: [seen('worker'), seen('projector')] }, 'api: none gives a sign of life'],
    ['queue', { queues: [{ env, waiting: 9, active: 0, oldest_seconds: 31 }] }, 'no worker renders'],
    ['queue', { queues: [] }, 'there is no render queue'],
    [
      'failures',
      { last_hour: [{ env, ended: 10, refund_rate: 0.5, errors: [{ error_code: 'ENGINE_CAPACITY' }] }] },
      '50 % of 10 jobs of the last hour were refunded, most for ENGINE_CAPACITY',
    ],
    ['halted', { consumers: [{ ...consumer!, state: 'halted', halted_because: 'a gap' }] }, 'a gap'],
    ['behind', { consumers: [{ ...consumer!, lag_seconds: 11 }] }, 'jobs is 2 events, 11 s behind'],
    ['parked', { consumers: [{ ...consumer!, parked: 4 }] }, '4 events of jobs are parked'],
    ['stranded', { stranded: [{ env, jobs: 1 }] }, '1 jobs'],
    ['orphaned', { charges: [{ env, orphaned: 2 }] }, '2 open charges'],
    ['seals', { capabilities: [{ what: 'seals', env: null, detail: 'late since noon' }] }, 'since noon'],
    ['audit', { last_audit: { ...audit!, holds: false, summary: '2 wrong' } }, 'found 2 wrong'],
    [
      'audit',
      { failed_audit: { by: 'nightly audit', at: '2026-01-02T03:00:00Z', summary: 'its memory' } },
      'the audit of 2026-01-02T03:00:00Z did not come to its end: its memory',
    ],
    [
      'alerts',
      {
        alerts: {
          told: [],
          undelivered: [
            { host: 'hooks.example', messages: 2, oldest_seconds: 301, error: 'it answered 500' },
          ],
        },
      },
      'hooks.example does not take 2 alerts, the first for 301 s: it answered 500',
    ],
  ])('tells %s', (what, facts, detail) => {
    const found = reasonsFor({ ...well, ...facts });
    expect(found).toEqual([expect.objectContaining({ what, detail: expect.stringContaining(detail) })]);
  });

  it('passes over an hour with few jobs', () => {
    const last_hour = [{ env, ended: 9, refund_rate: 1, errors: [{ error_code: 'ENGINE_POLICY' }] }] as const;
    expect(reasonsFor({ ...well, last_hour })).toEqual([]);
  });
});
