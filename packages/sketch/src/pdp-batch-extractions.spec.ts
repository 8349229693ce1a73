import { describe, expect, it } from 'vitest';
import type { EngineImage, EnginePicture, RenderRequest, RenderResult } from '@atelier/engine';
import { anotherFrame, known, photograph, sample, worn } from './reading/photographs.fixture.js';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

const run = (photos: readonly (Buffer | EngineImage)[], body: object = {}): Promise<RenderResult> => {
  const request: RenderRequest = {
    workflow: 'pdp-batch-extractions',
    body: { ...body },
    inputs: photos.map((photo, index) =>
      known(`photo-${index}`, Buffer.isBuffer(photo) ? { name: '', bytes: photo } : photo),
    ),
    seed: 7,
    displayName: '',
    testMark: false,
  };
  return engine.render(request, {
    signal: new AbortController().signal,
    garmentKind: () => undefined,
    onStage: async () => undefined,
  });
};

interface Meta {
  readonly person_groups: { member_indices: number[]; confidence: number }[];
  readonly location_groups: { member_indices: number[]; confidence: number }[];
  readonly automatic: boolean;
}

const groupingOf = ({ pictures: [sheet] }: RenderResult): Meta => {
  expect(sheet?.kind).toBe('grouping');
  // The contact sheet's meta is the grouping itself.
  return sheet?.meta as unknown as Meta;
};

const members = (groups: Meta['person_groups']): number[][] => groups.map((one) => one.member_indices);
const shared = ({ pictures }: RenderResult, axis: string): EnginePicture[] =>
  pictures.filter((one) => one.meta['axis'] === axis);

describe('pdp-batch-extractions', () => {
  it('groups drawings by who is in them, and photographs by where they were taken, also over noise and crop', async () => {
    const dressInRoom = await worn('garment-photograph', 37, 'room');
    const jumperAtWall = await worn('jumper', 44, 'bricks');
    const result = await run([
      dressInRoom,
      jumperAtWall,
      await sample('jacket'),
      await worn('garment-photograph', 37, 'bricks'),
      await anotherFrame(dressInRoom.bytes),
      await anotherFrame(jumperAtWall.bytes),
      await worn('jumper', 44, 'room'),
    ]);
    const grouping = groupingOf(result);
    expect(members(grouping.person_groups)).toEqual([
      [0, 3],
      [1, 6],
    ]);
    expect(members(grouping.location_groups)).toEqual([
      [0, 4, 6],
      [1, 3, 5],
    ]);
    expect(grouping.automatic).toBe(true);
    expect(result.pictures.map((one) => one.kind)).toEqual([
      'grouping',
      'person',
      'person',
      'background_plate',
      'background_plate',
    ]);
    for (const group of [...grouping.person_groups, ...grouping.location_groups]) {
      expect(group.confidence).toBeGreaterThan(0.5);
      expect(group.confidence).toBeLessThanOrEqual(1);
    }
  });

  it('keeps apart two people who were never in one picture, and their studios', async () => {
    const result = await run([await worn('trousers', 65), await worn('garment-photograph', 37, 'bricks')]);
    expect(groupingOf(result)).toMatchObject({ person_groups: [], location_groups: [] });
    expect(result.pictures).toHaveLength(1);
    expect(result.message).toMatch(/no shared person, no shared place/);
  });

  it('compares no people who were photographed, and says so', async () => {
    const photos = [await photograph('jersey'), await sample('jacket'), await photograph('bow-tie')];
    const result = await run(photos);
    expect(groupingOf(result).person_groups).toEqual([]);
    expect(result.failures).toEqual([
      { arm: 'person', code: 'VISION_MODEL_REQUIRED', message: expect.stringContaining('photographs 0, 2') },
    ]);
    const told = await run(photos, { grouping: { person_groups: [{ member_indices: [0, 2] }] } });
    expect(told.pictures.map(({ kind }) => kind)).toEqual(['grouping']);
    expect(told.failures).toMatchObject([{ arm: 'person', code: 'VISION_MODEL_REQUIRED' }]);
  });

  it('takes a shared place from no photograph of a person', async () => {
    const photos = [await photograph('jersey'), await photograph('bow-tie'), await sample('jacket')];
    const placeOf = (...member_indices: number[]) =>
      run(photos, { grouping: { location_groups: [{ member_indices }] } });
    const among = await placeOf(0, 1);
    expect(among.pictures.map(({ kind }) => kind)).toEqual(['grouping']);
    expect(among.failures).toMatchObject([{ arm: 'background', code: 'VISION_MODEL_REQUIRED' }]);
    const [place] = shared(await placeOf(0, 1, 2), 'location');
    expect(place?.meta['source_index']).toBe(2);
  });

  it("takes the caller's grouping at face value, and extracts what it names", async () => {
    const photos = [await worn('trousers', 65), await sample('jacket'), await worn('jumper', 44, 'bricks')];
    const given = {
      person_groups: [{ member_indices: [0, 2], confidence: 0.3, evidence: 'she says so' }],
      location_groups: [{ member_indices: [1], confidence: 1, evidence: '' }],
    };
    const result = await run(photos, { grouping: given });
    expect(groupingOf(result)).toEqual({ ...given, automatic: false });
    expect(shared(result, 'person').map((one) => one.meta)).toEqual([
      expect.objectContaining({ ...given.person_groups[0], axis: 'person', skin_tone: expect.any(String) }),
    ]);
    expect(shared(result, 'location')).toEqual([]);
  });

  it('says which group of the caller shows nobody', async () => {
    const photos = [await sample('jacket'), await sample('trousers')];
    const grouping = { person_groups: [{ member_indices: [0, 1] }] };
    const { failures, pictures } = await run(photos, { grouping });
    expect(failures).toEqual([
      { arm: 'person', code: 'NO_PERSON_FOUND', message: expect.stringContaining('0, 1') },
    ]);
    expect(pictures.map((one) => one.kind)).toEqual(['grouping']);
  });

  it('groups the others when one photograph is broken', async () => {
    const picture = await worn('trousers', 65, 'room');
    const result = await run([picture, Buffer.from('no picture'), picture]);
    expect(members(groupingOf(result).person_groups)).toEqual([[0, 2]]);
    expect(members(groupingOf(result).location_groups)).toEqual([[0, 2]]);
  });

  it('refuses a batch of which nothing can be read', async () => {
    await expect(run([Buffer.from('one'), Buffer.from('two')])).rejects.toMatchObject({
      errorClass: 'bad_input',
    });
  });

  it('has one photograph in no group', async () => {
    const result = await run([await worn('trousers', 65)]);
    expect(groupingOf(result)).toMatchObject({ person_groups: [], location_groups: [], automatic: true });
  });
});
