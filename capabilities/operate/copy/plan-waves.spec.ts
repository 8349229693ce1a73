import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#event-store/event-store.js';
import { planWaves } from './plan-waves.js';

/**
 * `account@r1` is an event of the stream `account` that the request r1 caused. Revisions count up by
 * themselves.
 */
function log(...places: readonly string[]): { event: RecordedEvent; bytes: number }[] {
  const revisions = new Map<string, bigint>();
  return places.map((place, index) => {
    const [stream = '', requestId = ''] = place.split('@');
    const revision = revisions.get(stream) ?? 0n;
    revisions.set(stream, revision + 1n);
    const metadata = {
      requestId,
      causationId: '',
      tenant: '',
      actor: '',
      schemaVersion: 1,
      recordedAt: '',
    };
    const event = { stream, revision, position: BigInt(index + 1), id: place, type: 'T', data: {}, metadata };
    return { event, bytes: 100 };
  });
}

const shape = (events: ReturnType<typeof log>) =>
  planWaves(events).map((wave) =>
    wave.map(({ stream, expected, events: own }) => `${stream} after ${expected}: ${own.length}`),
  );

describe('the waves of a copy', () => {
  it('appends what comes after each other in one stream at once', () => {
    expect(shape(log('a@1', 'a@2', 'a@3'))).toEqual([['a after no-stream: 3']]);
  });

  it('writes streams side by side that have nothing to do with each other', () => {
    expect(shape(log('a@1', 'b@2', 'a@3', 'b@4'))).toEqual([
      ['a after no-stream: 2', 'b after no-stream: 2'],
    ]);
  });

  it('keeps the order within a request, across streams', () => {
    const dispatches = log('account@1', 'job1@1', 'account@2', 'job2@2', 'job1@1', 'account@1');
    expect(shape(dispatches)).toEqual([
      ['account after no-stream: 2'],
      ['job1 after no-stream: 2', 'job2 after no-stream: 1'],
      ['account after 1: 1'],
    ]);
  });

  it('never puts an event before one that it follows in its stream or its request', () => {
    const random = seeded(7);
    const places = Array.from({ length: 600 }, () => `s${random(20)}@r${random(60)}`);
    const written = planWaves(log(...places)).map((wave) => wave.flatMap(({ events }) => events));
    const waveOf = new Map(written.flatMap((events, wave) => events.map((event) => [event.position, wave])));
    const earlier: RecordedEvent[] = [];
    for (const { event } of log(...places)) {
      for (const before of earlier) {
        const order = waveOf.get(event.position)! - waveOf.get(before.position)!;
        if (before.stream === event.stream) expect(order).toBeGreaterThanOrEqual(0);
        else if (before.metadata.requestId === event.metadata.requestId) expect(order).toBeGreaterThan(0);
      }
      earlier.push(event);
    }
    expect(written.flat()).toHaveLength(600);
  });

  it('splits an append that would be larger than servers take', () => {
    const events = log('a@1', 'a@1', 'a@1').map(({ event }) => ({ event, bytes: 300 * 1024 }));
    expect(shape(events)).toEqual([['a after no-stream: 1'], ['a after 0: 1'], ['a after 1: 1']]);
  });
});

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}
