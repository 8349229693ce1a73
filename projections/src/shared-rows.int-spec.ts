import { afterEach, beforeEach, expect, it } from 'vitest';
import { toProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { wholeLog } from '#read-store/testing/rows-of-history.js';
import { busyStory } from '../../test/audit/support/story.js';
import { readModels } from './read-models.js';
import {
  artifact,
  cancelled,
  debited,
  failed,
  purchased,
  queued,
  refunded,
  renderStarted,
  settled,
  stageCompleted,
  succeeded,
} from './testing/stories.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
});

afterEach(() => fixture.dispose());

it('every read model says so where events of several streams meet in one row', async () => {
  const garment = { ...artifact('final', 'Jumper'), kind: 'extracted_garment' };
  const made = { ...succeeded, data: { ...succeeded.data, artifacts: [artifact('final'), garment] } };
  await fixture.append('account', 'acme', [purchased(100), purchased(5, 1)]);
  for (const [index, ending] of [made, failed, cancelled, made].entries()) {
    const [request, job] = [`r${index}`, `job-of-r${index}`];
    await fixture.append('account', 'acme', [debited(request, 5)]);
    const events = [queued(job, 'acme', { requestId: request }), renderStarted, stageCompleted, ending];
    await fixture.append('job', job, events);
    await fixture.append('account', 'acme', [ending === made ? settled(request, 5) : refunded(request, 5)]);
  }
  const marked = readModels.filter(({ keysSpanStreams }) => keysSpanStreams).map(({ name }) => name);
  expect(await modelsWithSharedRows()).toEqual(marked);
});

/** The read models in which events of several streams change one row, of this history or of the one with all else. */
async function modelsWithSharedRows(): Promise<string[]> {
  const recorded = [...(await wholeLog(fixture.store)), ...busyStory('live').recorded()];
  const events = recorded.map(toProjectedEvent);
  const isShared = (model: ReadModel<object>) => {
    const streamOf = new Map<string, string>();
    return events
      .filter(({ category }) => model.categories.includes(category))
      .flatMap((event) => model.keysOf(event).map((key) => ({ id: key.join(), stream: event.stream })))
      .some(({ id, stream }) => {
        const first = streamOf.get(id) ?? stream;
        streamOf.set(id, first);
        return first !== stream;
      });
  };
  return readModels.filter(isShared).map(({ name }) => name);
}
