import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { Agent } from 'undici';
import { EngineError } from '@atelier/engine';
import type { ImageVendor, PictureCall, ReadingCall, VendorImage, VendorModel } from '@atelier/vendors';
import { fashnEndpoints } from '../vendors.families.js';
import type { ComfyDouble } from './families/comfyui.js';
import type { FalDouble } from './families/fal.js';
import { OpenAiDouble } from './families/openai.js';
import { declaredModel } from './support/declared-model.js';
import { testedFamilies, testedFamily } from './support/tested-families.js';
import type { VendorDouble } from './support/vendor-double.js';
import { photo } from './support/vendor-house.js';

/*
 * The requests to each vendor: the bytes on the socket, the checks that cost nothing, and the reading of
 * photographs.
 */

const image = async (role: VendorImage['role'], colour = '#345'): Promise<VendorImage> => {
  return { role, bytes: await photo(colour), contentType: 'image/png' };
};

function pictureCall(images: readonly VendorImage[], more: Partial<PictureCall> = {}): PictureCall {
  return {
    images,
    task: 'try_on',
    prompt: 'dress the person of image 1',
    ratio: '2:3',
    size: { width: 683, height: 1024 },
    transparent: false,
    count: 1,
    quality: undefined,
    seed: 7,
    idempotencyKey: 'job.try_on.1',
    signal: new AbortController().signal,
    submitted: () => Promise.resolve(),
    ...more,
  };
}

let double: VendorDouble;
let vendor: ImageVendor;
async function open(family: string, more: Partial<VendorModel> = {}): Promise<void> {
  const known = testedFamily(family);
  double = known.open();
  vendor = known.vendor(declaredModel(family, await double.open(), { ...known.model, ...more }));
}
afterEach(() => double.close());

const asked = (): Record<string, unknown> =>
  JSON.parse(double.asked[0]?.body ?? '{}') as Record<string, unknown>;

describe.each(Object.keys(testedFamilies))('%s', (family) => {
  beforeEach(() => open(family));

  it('is checked without cost', async () => {
    expect(await vendor.check(new AbortController().signal)).toMatch(testedFamily(family).says);
    expect(double.submissions).toBe(0);
  });

  it('that cannot be reached has no capacity: nothing was sent', async () => {
    await double.close();
    const refused = vendor.draw(pictureCall([await image('person'), await image('garment')]));
    await expect(refused).rejects.toBeInstanceOf(EngineError);
    await expect(refused).rejects.toMatchObject({ errorClass: 'capacity' });
    double = new OpenAiDouble();
    await double.open();
  });

  it('stops when its signal is aborted', async () => {
    double.turns.push('hang');
    const controller = new AbortController();
    const images = [await image('person'), await image('garment')];
    const drawing = vendor.draw(pictureCall(images, { signal: controller.signal }));
    const reason = new Error('cancelled');
    setTimeout(() => controller.abort(reason), 30);
    await expect(drawing).rejects.toBeDefined();
    await expect(drawing).rejects.not.toBeInstanceOf(EngineError);
  });
});

describe('OpenAI', () => {
  beforeEach(() => open('openai'));

  it('gets the brief in words and the pictures in order, once', async () => {
    await vendor.draw(pictureCall([await image('person'), await image('garment')]));
    const [call] = double.asked;
    expect(call?.path).toBe('/images/edits');
    expect(call?.body).toContain('dress the person of image 1');
    expect(call?.body.match(/name="image\[\]"/g)).toHaveLength(2);
    expect(call?.headers['authorization']).toBe('Bearer sk-vendor-secret');
    expect(call?.headers['idempotency-key']).toBe('job.try_on.1');
  });
});

describe('Gemini', () => {
  it('gets words, pictures in order, ratio and size', async () => {
    await open('gemini');
    const size = { width: 1365, height: 2048 };
    await vendor.draw(pictureCall([await image('person'), await image('garment')], { size }));
    const { contents, generationConfig } = asked();
    expect(contents).toMatchObject([
      { parts: [{ text: 'dress the person of image 1' }, { inlineData: {} }, { inlineData: {} }] },
    ]);
    expect(generationConfig).toMatchObject({
      responseModalities: ['IMAGE'],
      seed: 7,
      imageConfig: { aspectRatio: '2:3', imageSize: '2K' },
    });
  });

  it('gets the same 32 bits of a seed as a signed integer, which is all that it takes', async () => {
    await open('gemini');
    await vendor.draw(pictureCall([], { seed: 2 ** 32 - 1 }));
    expect(asked().generationConfig).toMatchObject({ seed: -1 });
  });
});

describe('FASHN', () => {
  const inputs = () => asked()['inputs'] as Record<string, string>;

  it('gets each picture by the part that it plays, and no words where it takes none', async () => {
    await open('fashn');
    await vendor.draw(pictureCall([await image('person'), await image('garment')]));
    expect(asked()['model_name']).toBe('tryon-v1.6');
    expect(Object.keys(inputs()).toSorted()).toEqual([
      'garment_image',
      'model_image',
      'output_format',
      'return_base64',
      'seed',
    ]);
  });

  it('is not asked with a picture that it has no place for', async () => {
    await open('fashn');
    const images = [await image('person'), await image('garment'), await image('garment')];
    await expect(vendor.draw(pictureCall(images))).rejects.toMatchObject({ errorClass: 'bad_input' });
    expect(double.submissions).toBe(0);
  });

  it('gets its first picture in the format of the order, where that cuts off little, and is not asked otherwise', async () => {
    await open('fashn', { model: 'edit' });
    const images = [await image('subject')];
    await vendor.draw(pictureCall(images, { size: { width: 819, height: 1024 } }));
    const sent = Buffer.from(inputs()['image']?.split(',')[1] ?? '', 'base64');
    expect(await sharp(sent).metadata()).toMatchObject({ format: 'jpeg', width: 200, height: 250 });
    const square = vendor.draw(pictureCall(images, { size: { width: 1024, height: 1024 } }));
    await expect(square).rejects.toMatchObject({ errorClass: 'bad_input' });
    expect(double.submissions).toBe(1);
  });

  it.each(Object.keys(fashnEndpoints))(
    'has the endpoint %s, and a place for as many pictures as the registry says',
    async (model) => {
      await open('fashn', { model });
      const parts = model.startsWith('tryon')
        ? ['person', 'garment']
        : model === 'product-to-model'
          ? ['garment', 'person', 'scene']
          : ['subject', 'person'];
      const images = await Promise.all(parts.map((part) => image(part as VendorImage['role'])));
      expect(images).toHaveLength(fashnEndpoints[model]?.max_inputs ?? 0);
      await vendor.draw(pictureCall(images));
      expect(double.submissions).toBe(1);
    },
  );

  it('is misconfigured with an endpoint that it does not have', async () => {
    await open('fashn', { model: 'video' });
    const misconfigured = { errorClass: 'misconfigured' };
    await expect(vendor.check(new AbortController().signal)).rejects.toMatchObject(misconfigured);
    await expect(vendor.draw(pictureCall([]))).rejects.toMatchObject(misconfigured);
  });
});

describe('fal', () => {
  it('gets each picture by the part that it plays, and is told not to try again by itself', async () => {
    await open('fal');
    await vendor.draw(pictureCall([await image('person'), await image('garment')]));
    expect(Object.keys(asked()).toSorted()).toEqual(['garment_image', 'model_image', 'seed']);
    expect(double.asked[0]?.headers['x-fal-no-retry']).toBe('1');
  });

  it('is told to keep no JSON, and files for a day', async () => {
    await open('fal');
    await vendor.draw(pictureCall([await image('person'), await image('garment')]));
    expect(double.asked[0]?.headers).toMatchObject({
      'x-fal-store-io': '0',
      'x-fal-object-lifecycle-preference': '{"expiration_duration_seconds":86400}',
    });
  });

  describe('asked to delete', () => {
    const fal = () => double as FalDouble;
    const erase = (id = 'req-1') => vendor.erase!(id, new AbortController().signal);
    const openWith = async (secret: string) => {
      await open('fal');
      const options = { platform: `${double.url}/platform` };
      vendor = testedFamily('fal').vendor(declaredModel('fal', double.url, { secret, options }));
      fal().requests.set('req-1', { turn: 'fine', cancelled: false });
    };

    it('deletes a request as often as it is asked, and a request that is not there counts as deleted', async () => {
      await openWith('sk-vendor-secret');
      await erase();
      await erase();
      await erase('req-2');
      expect(fal().deleted).toEqual(['req-1', 'req-1']);
    });

    it.each([
      [503, {}, 'capacity'],
      [429, {}, 'capacity'],
      [200, { cdn_delete_results: [{ link: 'a', exception: 'not now' }] }, 'capacity'],
      [422, {}, 'bad_input'],
      [403, {}, 'misconfigured'],
    ])('answers %i, and the class says whether to ask again', async (status, body, errorClass) => {
      await openWith('sk-vendor-secret');
      double.says(/payloads$/, status, body);
      await expect(erase()).rejects.toMatchObject({ errorClass });
    });

    it('gets no key of a gateway', async () => {
      await open('fal');
      await expect(erase()).rejects.toMatchObject({ errorClass: 'misconfigured' });
      expect(fal().deleted).toEqual([]);
    });
  });

  it('is not asked with a picture that the mapping has no place for', async () => {
    await open('fal');
    for (const more of [await image('garment'), await image('scene')]) {
      const images = [await image('person'), await image('garment'), more];
      await expect(vendor.draw(pictureCall(images))).rejects.toMatchObject({ errorClass: 'bad_input' });
    }
    expect(double.submissions).toBe(0);
  });
});

describe('ComfyUI', () => {
  const graph = () => asked()['prompt'] as Record<string, { inputs: Record<string, unknown> }>;
  const comfy = () => double as ComfyDouble;
  beforeEach(() => open('comfyui'));

  it('gets a graph with the values of the call, without the pictures that the call does not have', async () => {
    await vendor.draw(pictureCall([await image('person'), await image('garment')]));
    expect(Object.keys(graph())).not.toContain('image_3');
    expect(Object.keys(graph()['wanted']?.inputs ?? {})).not.toContain('image3');
    expect(graph()['wanted']?.inputs['prompt']).toBe('dress the person of image 1');
    expect(graph()['canvas']?.inputs).toEqual({ width: 688, height: 1024, batch_size: 1 });
    expect(graph()['sampler']?.inputs['seed']).toBe(7);
  });

  it('draws from words with the other graph', async () => {
    await vendor.draw(pictureCall([], { task: 'background' }));
    expect(graph()['unet']?.inputs['unet_name']).toBe('qwen_image_fp8_e4m3fn.safetensors');
  });

  it('is not asked with more pictures than the graph takes', async () => {
    const images = await Promise.all(['1', '2', '3', '4'].map((n) => image('garment', `#${n}${n}${n}`)));
    await expect(vendor.draw(pictureCall(images))).rejects.toMatchObject({ errorClass: 'bad_input' });
    expect(double.submissions).toBe(0);
  });

  it('is told the id of the prompt, which follows from the call', async () => {
    const seen: string[] = [];
    await vendor.draw(pictureCall([], { submitted: (id) => Promise.resolve(void seen.push(id)) }));
    expect([...comfy().prompts.keys()]).toEqual(seen);
    expect(vendor.idOf?.('job.try_on.1')).toBe(seen[0]);
  });

  it('that was started again has no capacity: what waited there is gone', async () => {
    comfy().gateShut = true;
    const drawing = vendor.draw(pictureCall([]));
    drawing.catch(() => undefined);
    while (double.submissions === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    comfy().forget();
    await expect(drawing).rejects.toMatchObject({ errorClass: 'capacity' });
  });

  it('is told which prompt to drop or to interrupt', async () => {
    comfy().gateShut = true;
    const controller = new AbortController();
    for (const key of ['one', 'two']) {
      const call = pictureCall([], { idempotencyKey: key, signal: controller.signal });
      vendor.draw(call).catch(() => undefined);
      while (
        !comfy().asked.some(({ body }) => body.includes('prompt_id')) ||
        double.submissions < (key === 'one' ? 1 : 2)
      )
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const [running = '', waiting = ''] = [...comfy().prompts.keys()];
    expect(await vendor.cancel?.(waiting)).toBe(true);
    expect(await vendor.cancel?.(running)).toBe(true);
    expect(await vendor.cancel?.('unknown')).toBe(false);
    expect([[...comfy().prompts.keys()], comfy().interrupted]).toEqual([[running], [running]]);
    controller.abort(new Error('the test is over'));
  });

  it('is misconfigured with a graph that cannot be read, and a check says which', async () => {
    await double.close();
    await open('comfyui', { options: { graphs: { try_on: '/nowhere/graph.json' } } });
    await expect(vendor.draw(pictureCall([]))).rejects.toMatchObject({ errorClass: 'misconfigured' });
    const cause = { message: expect.stringContaining('/nowhere/graph.json') };
    await expect(vendor.check(new AbortController().signal)).rejects.toMatchObject({ cause });
  });

  it('says which nodes and files a check does not find', async () => {
    comfy().lacks = 'CFGNorm';
    await expect(vendor.check(new AbortController().signal)).rejects.toThrow('it lacks the node CFGNorm');
  });
});

describe.each(['openai', 'gemini'])('the vision model of %s', (family) => {
  const call = async (): Promise<ReadingCall> => {
    const { signal, idempotencyKey, submitted } = pictureCall([]);
    const images = [await image('photograph')];
    const schema = { type: 'object', properties: { garments: { type: 'array' } }, required: ['garments'] };
    return { images, question: 'What does it show?', schema, signal, idempotencyKey, submitted };
  };
  beforeEach(() => open(family, { vision_model: 'reader' }));

  it('answers in the form that is asked for', async () => {
    double.reading = { garments: [{ name: 'dress' }] };
    expect((await vendor.read?.(await call()))?.reading).toEqual({ garments: [{ name: 'dress' }] });
    const body = double.asked[0]?.body ?? '';
    expect(body).toContain('What does it show?');
    expect(body).toContain('"required":["garments"]');
    expect(body + (double.asked[0]?.path ?? '')).toContain('reader');
  });

  it.each([
    ['policy', 'policy'],
    ['busy', 'capacity'],
    ['key', 'misconfigured'],
    ['cut', 'outcome_unknown'],
  ] as const)('%s is %s', async (turn, errorClass) => {
    double.turns.push(turn);
    await expect(vendor.read?.(await call())).rejects.toMatchObject({ errorClass });
  });
});

describe('a picture that takes longer than Node waits', () => {
  // Node's own limits are 300 s. Here they are short for every request that sets no limits of its own.
  const shortly = new Agent({ headersTimeout: 100, bodyTimeout: 100 });
  const usual = globalThis.fetch;
  beforeAll(() => {
    const limited = { dispatcher: shortly } as object;
    globalThis.fetch = (input, init) => usual(input, { ...limited, ...init });
  });
  afterAll(async () => {
    globalThis.fetch = usual;
    await shortly.close();
  });
  const drawn = (drawing: Promise<{ pictures: readonly Buffer[] }>) =>
    drawing.then(
      ({ pictures }) => pictures.length,
      (error: unknown) => (error instanceof EngineError ? error.errorClass : error),
    );

  it.each(['openai', 'gemini'])('is waited for: %s', async (family) => {
    await open(family, { timeout_seconds: 60 });
    const call = pictureCall([await image('person'), await image('garment')]);
    const calls = (['head', 'body'] as const).map((part) => {
      double.holdBack(part, 3_000);
      return drawn(vendor.draw(call));
    });
    expect(await Promise.all(calls)).toEqual([1, 1]);
    // A request without a longer limit still fails.
    double.holdBack('head', 3_000);
    await expect(fetch(`${double.url}/models/x`)).rejects.toThrow('fetch failed');
  });
});

const rows = Object.entries(testedFamilies).flatMap(([family, { failures }]) =>
  failures.map((saying) => ({
    family,
    saying,
    says: `${saying[1]} ${JSON.stringify(saying[2])}`,
    errorClass: saying[3],
  })),
);

describe('the class of a failure', () => {
  it.each(rows)('$family: $says is $errorClass', async ({ family, saying }) => {
    const [path, status, body, errorClass, headers] = saying;
    await open(family);
    const call = pictureCall([await image('person'), await image('garment')]);
    // ComfyUI reports each prompt under its id, which follows from the call.
    const id = vendor.idOf?.(call.idempotencyKey) ?? '';
    double.says(path, status, family === 'comfyui' && status === 200 ? { [id]: body } : body, headers);
    const failed = vendor.draw(call);
    await expect(failed).rejects.toBeInstanceOf(EngineError);
    const pause = headers || JSON.stringify(body).includes('7s') ? { retryAfterMs: 7_000 } : {};
    await expect(failed).rejects.toMatchObject({ errorClass, ...pause });
  });

  it.each(['NO_IMAGE', 'IMAGE_OTHER', 'MAX_TOKENS'])(
    'Gemini: %s is an answer without a picture',
    async (finishReason) => {
      await open('gemini');
      double.says(/generateContent/, 200, { candidates: [{ finishReason }] });
      expect((await vendor.draw(pictureCall([]))).pictures).toEqual([]);
    },
  );
});
