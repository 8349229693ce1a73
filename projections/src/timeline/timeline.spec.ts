import { describe, expect, it } from 'vitest';
import {
  at,
  cancelled,
  failed,
  inStream,
  queued,
  renderStarted,
  stageCompleted,
  succeeded,
  voided,
} from '../testing/stories.js';
import { foldTimelineRows } from './timeline.read-model.js';

const fold = (...events: Parameters<typeof inStream>[2]) => foldTimelineRows(inStream('job', 'J', events));

describe('the timeline of a job', () => {
  it('numbers its events by their place in the stream, internal ones included', () => {
    const rows = fold(queued('J', 'acme'), renderStarted, stageCompleted, succeeded);
    expect(rows.map(({ seq, eventType, visibility }) => [seq, eventType, visibility])).toEqual([
      [1, 'queued', 'public'],
      [2, 'started', 'internal'],
      [3, 'stage', 'public'],
      [4, 'succeeded', 'public'],
    ]);
    expect(rows.every(({ jobId, tenant }) => jobId === 'J' && tenant === 'acme')).toBe(true);
  });

  it('tells the price when queued', () => {
    expect(fold(queued('J', 'acme'))).toMatchObject([
      { extra: { credits_cost: 5 }, createdAt: new Date(at(0)) },
    ]);
  });

  it('shows of a success how it came about, and no hashes of the inputs', () => {
    const [row] = fold(succeeded);
    expect(row!.artifacts).toEqual(succeeded.data.artifacts);
    expect(row!.extra).toEqual({ engine: 'sketch', model: 'sketch-1', seed: 7, duration_ms: 900 });
  });

  it('shows why a job failed, and a cancelled one as failed', () => {
    expect(fold(failed)).toMatchObject([
      {
        eventType: 'failed',
        extra: { error: { code: 'ENGINE_POLICY', message: 'The picture was refused.' } },
      },
    ]);
    expect(fold(cancelled)).toMatchObject([
      { eventType: 'failed', extra: { error: { code: 'CANCELLED', message: 'Cancelled by the caller.' } } },
    ]);
  });

  it('does not show a fence', () => {
    expect(fold(voided)).toEqual([]);
  });
});
