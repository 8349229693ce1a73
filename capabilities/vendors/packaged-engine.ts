import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import {
  EngineError,
  ImageEngine,
  type BriefArtifact,
  type EngineContext,
  type EngineErrorClass,
  type EngineModel,
  type EnginePicture,
  type EngineRequest,
  type EngineStage,
  type MakeEngine,
  type RenderResult,
} from '@atelier/engine';
import { delivered, orderedFormat } from '@atelier/engine/delivered';
import type { EngineMaker, TestMark } from '#platform/engine-families.js';

/** A model's facts in the registry that a package does not get. */
interface Declared extends EngineModel {
  readonly aspect_ratios?: readonly string[] | undefined;
  readonly transparent?: boolean;
}

/**
 * An engine from another author. Its pictures are checked against the order, marked and re-encoded, like the
 * pictures of vendors. The package brings its own copy of the port, so its errors are of another class with the
 * same name.
 */
class PackagedEngine extends ImageEngine {
  readonly name: string;

  constructor(
    private readonly own: ImageEngine,
    private readonly model: Declared,
    private readonly testMark: TestMark,
  ) {
    super();
    this.name = own.name;
  }

  async render(request: EngineRequest, context: EngineContext): Promise<RenderResult> {
    const held = (pictures: readonly EnginePicture[], role: BriefArtifact['role']) =>
      Promise.all(pictures.map((picture) => this.held(picture, role, request)));
    const onStage = async (stage: EngineStage) =>
      context.onStage({ ...stage, pictures: await held(stage.pictures, 'intermediate') });
    try {
      const result = await this.own.render({ ...request, testMark: false }, { ...context, onStage });
      return { ...result, pictures: await held(result.pictures, 'final') };
    } catch (error) {
      throw ownError(error);
    }
  }

  /** @throws EngineError for a picture that was not ordered */
  private async held(
    { kind, label, meta, bytes, digitalSource: said = 'algorithmicMedia' }: EnginePicture,
    role: BriefArtifact['role'],
    { brief, inputs, testMark }: EngineRequest,
  ): Promise<EnginePicture> {
    const steps = brief().steps.flatMap((step) => (step.kind === 'reading' ? step.otherwise : [step]));
    const ordered = steps.find(
      (step) => 'gives' in step && step.gives.kind === kind && step.gives.role === role,
    );
    const order = ordered?.kind === 'picture' ? ordered : undefined;
    const [first] = order?.inputs ?? [];
    const source = first && 'input' in first.source ? first.source.input : undefined;
    // Without an input that gives the format, the engine's own format counts.
    const leading = inputs.find(({ name }) => name === source)?.bytes ?? bytes;
    const own = await sizeOf(bytes);
    const { width, height } = leading === bytes ? own : await sizeOf(leading);
    const size = order ? orderedFormat(order, width / height, this.model.aspect_ratios).size : own;
    const transparent = order ? order.transparent && this.model.transparent === true : !own.isOpaque;
    // A picture that is shown as it was has no inputs, because it was not drawn.
    const drawnFrom = ordered?.kind === 'kept' ? [] : inputs.map((input) => input.bytes);
    const mark = testMark ? Buffer.from(this.testMark(size.width, size.height)) : undefined;
    const picture = await delivered(bytes, drawnFrom, { size, transparent, mark });
    // Only a step can declare that a picture is shown as it was.
    if (ordered?.kind === 'kept') return { ...picture, kind, label, meta, digitalSource: null };
    const digitalSource = said ?? 'algorithmicMedia';
    const provenance = { model: this.model.id, digital_source_type: digitalSource };
    return { ...picture, kind, label, meta: { ...meta, provenance }, digitalSource };
  }
}

async function sizeOf(bytes: Buffer) {
  const picture = sharp(bytes);
  const [{ autoOrient }, { isOpaque }] = await Promise.all([picture.metadata(), picture.stats()]).catch(
    () => {
      throw new EngineError('no_image', 'The image model sent something that is no picture.');
    },
  );
  return { ...autoOrient, isOpaque };
}

function ownError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof EngineError || error.name !== 'EngineError') return error;
  const { errorClass, retryAfterMs } = error as { errorClass?: EngineErrorClass; retryAfterMs?: number };
  return new EngineError(errorClass ?? 'misconfigured', error.message, retryAfterMs);
}

/**
 * Opens the engine of an npm package. `named`: the package's name, or the path of its folder or file, from the
 * working directory.
 * @throws EngineError `misconfigured` if there is no such package
 */
export async function openPackage(named: string, model: Declared, testMark: TestMark): Promise<ImageEngine> {
  const { id, model: called, endpoint, secret, options } = model;
  try {
    // A path may be a folder, and only CommonJS resolves folders. A name may be that of a package without
    // CommonJS.
    const from = /^[./]/.test(named)
      ? pathToFileURL(createRequire(import.meta.url).resolve(resolve(named))).href
      : named;
    // The value is checked below.
    const { default: make } = (await import(from)) as { default?: MakeEngine };
    const made = await make?.({ id, model: called, endpoint, secret, options });
    if (typeof made?.render === 'function') return new PackagedEngine(made, model, testMark);
  } catch (error) {
    throw Object.assign(unusable(), { cause: error });
  }
  throw unusable();
}

const unusable = () =>
  new EngineError(
    'misconfigured',
    'The image model cannot be used at present: its engine is no package that makes one.',
  );

export const packagedEngines: EngineMaker = {
  open: (model, testMark) => openPackage(model.package ?? '', model, testMark),
  async check(model) {
    const { name } = await openPackage(model.package ?? '', model, () => '');
    return `${name} is there`;
  },
};
