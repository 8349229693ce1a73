import { setImmediate } from 'node:timers/promises';
import {
  EngineError,
  ImageEngine,
  type EngineImage,
  type EnginePicture,
  type RenderContext,
  type RenderRequest,
  type RenderResult,
} from '@atelier/engine';
import { decode } from '@atelier/engine/decode';
import sharp, { type Sharp } from 'sharp';
import { composed } from './compose.js';
import { cutOut, type CutOut, type Pause } from './matte.js';
import { findPerson, isAlone, isClear, type Person } from './person.js';
import { placementOf, type Size, type Stance } from './placement.js';
import type { Picture } from './raster.js';

const MODEL = 'photo-1';

/** The empty place for the person, at the ordered size. */
export interface Ground {
  readonly picture: Picture;
  /** The middle of the free place for the person, in pixels from the left side. */
  readonly x: number;
}

/** The work that this engine leaves to one that draws. */
export interface Painter {
  /**
   * The size of the new picture, from the order and the source picture. The `facts` about it go into `meta`.
   */
  sizeOf(request: RenderRequest, source: Size): Size & { readonly facts: Facts };
  /**
   * The ordered background, drawn from a viewpoint that fits the person. The `facts` about it go into `meta`.
   */
  groundFor(request: RenderRequest, size: Size, stance: Stance): Promise<Ground & { readonly facts: Facts }>;
  /** The picture with the mark of the test environment. */
  marked(picture: Picture): Promise<Picture>;
}

export { useSegmentationModel } from './models.js';

type Facts = Readonly<Record<string, unknown>>;

/** A photograph and the person on it. */
interface Reading {
  readonly picture: Picture;
  readonly person?: Person;
}

const WORKFLOWS = ['background-swap-with-image', 'background-swap-with-spec'];
const ADVICE = 'Send a photograph of a person who stands out from what is behind them.';
/** Long side at which photographs are worked on. */
const FULL_SIDE = 2048;

const raw = ({ data, width, height }: Picture): Sharp => sharp(data, { raw: { width, height, channels: 4 } });

async function cutOutPicture({ picture, box }: CutOut, source: Picture): Promise<EnginePicture> {
  const { width, height } = picture;
  const coverage = (box.width * box.height) / (source.width * source.height);
  return {
    kind: 'subject_cutout',
    label: 'The subject, cut out',
    bytes: await raw(picture).png({ compressionLevel: 6 }).toBuffer(),
    contentType: 'image/png',
    width,
    height,
    meta: { subject: 'person', coverage: Math.round(coverage * 1000) / 1000 },
    digitalSource: 'compositeSynthetic',
  };
}

/**
 * Cuts people out of photographs and puts them into other places, with models that run in this process: no
 * vendor, no GPU. The same request gives the same bytes. The models are loaded with the first photograph.
 */
export class PhotoEngine extends ImageEngine {
  readonly name = 'photo';
  /** Both `serves` and `render` need the photograph; it is read once. */
  private readonly readings = new WeakMap<Buffer, Promise<Reading>>();

  constructor(private readonly painter: Painter) {
    super();
  }

  /** Whether this engine serves the request: it takes background swaps of photographs that show a person. */
  async serves({ workflow, inputs }: RenderRequest): Promise<boolean> {
    const source = inputs.find(({ name }) => name === 'source_image');
    if (!WORKFLOWS.includes(workflow) || !source) return false;
    // The meta of a composed picture names the place of its subject.
    if (source.meta && 'silhouettes' in source.meta) return false;
    return (await this.read(source)).person !== undefined;
  }

  async render(request: RenderRequest, { signal, onStage }: RenderContext): Promise<RenderResult> {
    const { workflow, inputs, seed, displayName, testMark } = request;
    if (!WORKFLOWS.includes(workflow))
      throw new EngineError('misconfigured', `The photo engine does not serve the workflow ${workflow}.`);
    const step = async (): Promise<void> => {
      await setImmediate();
      signal.throwIfAborted();
    };
    await step();
    const source = inputs.find(({ name }) => name === 'source_image');
    if (!source)
      throw new EngineError('bad_input', 'source_image is missing. Send one photograph of a person.');
    const { picture, person } = await this.readClearly(source, step);
    await step();
    const cut = await cutOut(picture, person, step);
    await step();
    await onStage({
      stage: 'subject_cutout',
      message: 'The person is cut out',
      pictures: [await cutOutPicture(cut, picture)],
    });
    await step();
    const { facts, ...size } = this.painter.sizeOf(request, picture);
    const wanted = placementOf(person, cut, picture, size);
    const ground = await this.painter.groundFor(request, size, wanted.stance);
    await step();
    // A person who is cut off by an edge stays at that edge.
    const aside = wanted.stands ? ground.x - wanted.stance.x : 0;
    const sheet = await composed(ground.picture, cut.picture, { ...wanted, left: wanted.left + aside }, step);
    await step();
    const finished = testMark ? await this.painter.marked(sheet) : sheet;
    const bytes = await raw(finished)
      .removeAlpha()
      .jpeg({ quality: 93, chromaSubsampling: '4:4:4' })
      .toBuffer();
    return {
      pictures: [
        {
          kind: 'background_swap',
          label: displayName || 'In another place',
          bytes,
          contentType: 'image/jpeg',
          ...size,
          meta: { ...ground.facts, ...facts, subject: 'person', seed },
          digitalSource: 'compositeSynthetic',
        },
      ],
      message: 'The person stands in another place',
      model: MODEL,
    };
  }

  /**
   * @throws EngineError `bad_input` if the photograph shows no person, several people, or a person who cannot
   * be separated from the background
   */
  private async readClearly(source: EngineImage, pause: Pause): Promise<Required<Reading>> {
    const { picture, person } = await this.read(source);
    const refuse = (why: string): EngineError => new EngineError('bad_input', why);
    if (!person) throw refuse(`No person was found in ${source.name}. ${ADVICE}`);
    if (!isClear(person))
      throw refuse(
        `The person in ${source.name} cannot be told from what is around them well enough to be cut out cleanly. ${ADVICE}`,
      );
    if (!(await isAlone(picture, person, pause)))
      throw refuse(
        `${source.name} shows several people. This engine cuts out one: send a photograph of a single person, or name an image model that works on photographs of several.`,
      );
    return { picture, person };
  }

  private read(source: EngineImage): Promise<Reading> {
    const known = this.readings.get(source.bytes);
    if (known) return known;
    const reading = decode(source.bytes, FULL_SIDE, source.name).then(async (picture) => {
      const person = await findPerson(picture);
      return { picture, ...(person && { person }) };
    });
    this.readings.set(source.bytes, reading);
    return reading;
  }
}
