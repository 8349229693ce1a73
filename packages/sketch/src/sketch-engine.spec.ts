import { describe, expect, it } from 'vitest';
import { EngineError, type EngineStage, type RenderRequest, type RenderResult } from '@atelier/engine';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

const request = (body: Record<string, unknown>, seed = 7): RenderRequest => ({
  workflow: 'model-generator',
  body,
  inputs: [],
  seed,
  displayName: '',
  testMark: false,
});

async function render(
  asked: RenderRequest,
  signal = new AbortController().signal,
): Promise<{ result: RenderResult; stages: EngineStage[] }> {
  const stages: EngineStage[] = [];
  const result = await engine.render(asked, {
    signal,
    garmentKind: () => undefined,
    onStage: async (stage) => void stages.push(stage),
  });
  return { result, stages };
}

const bytesOf = async (asked: RenderRequest): Promise<Buffer> => {
  const picture = (await render(asked)).result.pictures[0];
  if (!picture) throw new Error('no picture');
  return picture.bytes;
};

/** Drawn once; every test of difference compares with it. */
let base: Promise<Buffer> | undefined;
const plain = { gender: 'FEMALE', body_type: 'slim', age_range: '18-22' };

describe('SketchEngine', () => {
  it('draws the same bytes for the same request and seed', async () => {
    expect((await (base ??= bytesOf(request(plain)))).equals(await bytesOf(request(plain)))).toBe(true);
  });

  it.each([
    ['seed', request({}, 8)],
    ['gender', request({ gender: 'MALE' })],
    ['body type', request({ body_type: 'fuller' })],
    ['age range', request({ age_range: '34-40' })],
    ['test mark', { ...request({}), testMark: true }],
  ])('draws another picture when the %s differs', async (_, other) => {
    const changed = { ...other, body: { ...plain, ...other.body } };
    expect((await (base ??= bytesOf(request(plain)))).equals(await bytesOf(changed))).toBe(false);
  });

  it('sketches first, then paints', async () => {
    const { result, stages } = await render(request({ generation_stage: 'full_body' }));
    expect(stages.map((s) => [s.stage, s.pictures[0]?.kind])).toEqual([['croquis', 'croquis']]);
    expect(result.pictures[0]).toMatchObject({ kind: 'model_full_body', width: 683, height: 1024 });
  });

  it('refuses a workflow that it cannot draw as misconfigured', async () => {
    await expect(render({ ...request({}), workflow: 'sing' })).rejects.toMatchObject({
      errorClass: 'misconfigured',
    });
  });

  it('rejects with the reason within a second of an abort', async () => {
    const controller = new AbortController();
    const pending = render(request({ resolution: '2K' }), controller.signal);
    const reason = new Error('cancelled by its owner');
    setTimeout(() => controller.abort(reason), 30);
    const started = performance.now();
    await expect(pending).rejects.toBe(reason);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('says what is missing when there is no product photograph', async () => {
    const pending = render({ ...request({}), workflow: 'product-to-model-direct' });
    await expect(pending).rejects.toBeInstanceOf(EngineError);
    await expect(pending).rejects.toMatchObject({ errorClass: 'bad_input' });
  });
});
