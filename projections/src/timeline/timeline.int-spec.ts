import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  artifact,
  at,
  queued,
  renderStarted,
  stageCompleted,
  succeeded,
  voided,
} from '../testing/stories.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { TimelineReader } from '../readers.js';

let side: ReadSide;
let timeline: TimelineReader;

beforeAll(async () => {
  side = await startReadSide();
  timeline = new TimelineReader(side.dataSource);
  const { fixture } = side;
  await fixture.append('job', 'J', [queued('J', 'acme'), renderStarted], { tenant: 'acme' });
  await fixture.append('job', 'J', [stageCompleted, succeeded], { tenant: 'acme' });
  await fixture.append('job', 'V', [voided], { tenant: 'acme' });
  await fixture.passed((await fixture.store.head())!);
});

afterAll(() => side.dispose());

describe('the timeline reader', () => {
  it('gives the public events in ascending order', async () => {
    const events = await timeline.publicEvents('acme', 'J');
    expect(events.map(({ seq, eventType }) => [seq, eventType])).toEqual([
      [1, 'queued'],
      [3, 'stage'],
      [4, 'succeeded'],
    ]);
    expect(events[1]).toEqual({
      jobId: 'J',
      seq: 3,
      tenant: 'acme',
      eventType: 'stage',
      visibility: 'public',
      stage: 'pose',
      message: 'Posed.',
      artifacts: [artifact('intermediate', 'Pose')],
      extra: {},
      createdAt: new Date(at(3)),
    });
  });

  it('gives what comes after the cursor', async () => {
    const seqs = async (since: number) =>
      (await timeline.publicEvents('acme', 'J', since)).map(({ seq }) => seq);
    expect(await seqs(1)).toEqual([3, 4]);
    expect(await seqs(2)).toEqual([3, 4]);
    expect(await seqs(4)).toEqual([]);
  });

  it('keeps internal events for operators', async () => {
    const rows = await side.fixture.rows(
      `select seq, event_type from live.timeline where visibility = 'internal'`,
    );
    expect(rows).toEqual([{ seq: 2, event_type: 'started' }]);
  });

  it("gives nothing of another tenant's job, of an unknown one or of a fence", async () => {
    expect(await timeline.publicEvents('rival', 'J')).toEqual([]);
    expect(await timeline.publicEvents('acme', 'unknown')).toEqual([]);
    expect(await timeline.publicEvents('acme', 'V')).toEqual([]);
  });
});
