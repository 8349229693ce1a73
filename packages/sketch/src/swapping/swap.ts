import {
  EngineError,
  type EngineImage,
  type PictureMeta,
  type RenderContext,
  type RenderRequest,
  type RenderResult,
} from '@atelier/engine';
import { breathe } from '../abort.js';
import { canvasSize, drawnSize, nearestRatio, type CanvasOrder, type CanvasSize } from '../canvas-size.js';
import { outlinesOf } from '../composition/outline.js';
import { relight } from '../composition/light.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import { cropped, imageOf, rasterOf, type Raster } from '../drawing/rasterise.js';
import { encode } from '../encode.js';
import { compose, type Layer } from '../scene.js';
import { MODEL } from '../model.js';
import { carriedFacts } from './carried-facts.js';
import type { NewPlace } from './new-place.js';
import { movedTo, placementOf, type Placement } from './placement.js';
import { shadowUnder } from './shadow.js';
import { subjectOf, type SourceSubject } from './source-subject.js';

/** The format of the new picture: the source's own when absent. */
export type SwapOrder = Pick<CanvasOrder, 'output_preset'>;

function atScale({ cut: { raster } }: SourceSubject, scale: number): Promise<Raster> {
  const [w, h] = [raster.width, raster.height].map((side) => Math.max(1, Math.round(side * scale)));
  return rasterOf(imageOf(raster).resize(w, h, { fit: 'fill', kernel: scale > 1 ? 'cubic' : 'lanczos3' }));
}

/** The part of a subject that lies on the sheet, as a layer with its place. */
function onSheet(raster: Raster, { left, top }: Placement, size: CanvasSize): Layer {
  const [x, y] = [Math.round(left), Math.round(top)];
  const [fromX, fromY] = [Math.max(0, -x), Math.max(0, -y)];
  const width = Math.min(raster.width, size.width - x) - fromX;
  const height = Math.min(raster.height, size.height - y) - fromY;
  if (width < 1 || height < 1) throw new RangeError('the subject lies beside the sheet');
  const seen = cropped(raster, { left: fromX, top: fromY, width, height });
  return { ...seen, left: Math.max(0, x), top: Math.max(0, y) };
}

async function cutOutStage(subject: SourceSubject, context: RenderContext): Promise<void> {
  const picture = await encode(
    subject.cut.raster,
    {
      kind: 'subject_cutout',
      label: 'The subject, cut out',
      meta: {
        subject: subject.kind,
        coverage: Math.round(subject.cut.coverage * 1000) / 1000,
        dominant_colours: dominantColours(subject.cut.raster),
      },
    },
    { keepAlpha: true },
  );
  await context.onStage({
    stage: 'subject_cutout',
    message: subject.kind === 'person' ? 'The person is cut out' : 'The product is cut out',
    pictures: [picture],
  });
}

/** The subject's place, for pictures whose meta does not hold it. The next swap then need not search again. */
const outlineFacts = (
  subject: SourceSubject,
  { scale, left, top }: Placement,
  size: CanvasSize,
): PictureMeta => {
  const { mask, raster } = subject.cut;
  const ratio = (raster.width * scale) / mask.width;
  const flat = outlinesOf(mask, 1).map((line) =>
    line.map((v, i) => {
      const pixels = (v * mask.height * ratio) / 1000 + (i % 2 ? top : left);
      return Math.round((1000 * pixels) / size.height);
    }),
  );
  return { silhouettes: { subject: flat } };
};

/**
 * Cuts the subject of `source_image` out of its picture and puts it into another place: at the same scale, on
 * the floor, in that place's light.
 * @throws EngineError `bad_input` when there is no source, or no subject stands out from its background
 */
export async function swapBackground(
  request: RenderRequest<SwapOrder>,
  context: RenderContext,
  { about, open, seen }: NewPlace,
): Promise<RenderResult> {
  const source: EngineImage | undefined = request.inputs.find((input) => input.name === 'source_image');
  if (!source)
    throw new EngineError('bad_input', 'source_image is missing. Send one picture of a person or a product.');
  const subject = await subjectOf(source);
  await breathe(context.signal);
  await cutOutStage(subject, context);
  await breathe(context.signal);
  const asked = canvasSize(request.body, nearestRatio(subject.picture));
  const size = drawnSize(asked);
  const wanted = placementOf(subject, size, open);
  const { setting, view } = await seen(size, wanted);
  await breathe(context.signal);
  const placement = movedTo(wanted, view.framing.x - wanted.view.framing.x);
  const standing = await atScale(subject, placement.scale);
  await relight(
    standing,
    { ...setting.light, contrast: setting.light.contrast * 0.6 },
    placement.view.framing.scale,
  );
  await breathe(context.signal);
  const shadow = await shadowUnder(standing, placement, setting.ground.wall, setting.light, size);
  const layers: Layer[] = [setting.plate, ...(shadow ? [shadow] : []), onSheet(standing, placement, size)];
  const sheet = await compose(layers, request.testMark);
  await breathe(context.signal);
  const known = carriedFacts(source.meta, subject, placement, size);
  const picture = await encode(
    sheet,
    {
      kind: 'background_swap',
      label: request.displayName || 'In another place',
      meta: {
        ...known,
        ...('silhouettes' in known ? {} : outlineFacts(subject, placement, size)),
        ...about,
        backdrop: setting.facts,
        subject: subject.kind,
        seed: request.seed,
        aspect_ratio: asked.aspectRatio,
        resolution: asked.resolution,
      },
    },
    { enlargeTo: asked },
  );
  return { pictures: [picture], message: `The ${subject.kind} stands in another place`, model: MODEL };
}
