import type { RenderRequest } from '@atelier/engine';
import { canvasSize, drawnSize, nearestRatio, type CanvasOrder, type CanvasSize } from './canvas-size.js';
import type { Canvas } from './composition/subject.js';
import type { ShotFraming } from './composition/shot.js';
import type { Facts } from './facts.js';
import type { Raster } from './drawing/rasterise.js';
import type { SceneWords } from './scenery/scene-spec-from.js';
import { marked } from './scene.js';

export { testMarkSvg } from './scene.js';
import { placeOfImage, placeOfWords, type ImagePlaceOrder, type NewPlace } from './swapping/new-place.js';
import { viewAt } from './swapping/placement.js';

type SwapRequest = RenderRequest<CanvasOrder & SceneWords & Partial<ImagePlaceOrder>>;

/** A person's place on a sheet, in pixels of the sheet. */
interface Stance {
  readonly x: number;
  readonly soles: number;
  readonly stature: number;
  readonly shows: ShotFraming;
}

const placeOf = (request: SwapRequest): NewPlace => {
  const { background_image_public_id: id } = request.body;
  if (id === undefined) return placeOfWords(request);
  return placeOfImage({ ...request, body: { background_image_public_id: id } });
};

/** A photograph of at least this size gets a 2K picture. */
const LARGE = 1600;

const sheetOf = ({ body }: SwapRequest, source: Canvas): CanvasSize => {
  const large = Math.max(source.width, source.height) >= LARGE;
  const asked = { ...(large ? { resolution: '2K' as const } : {}), ...body };
  return drawnSize(canvasSize(asked, nearestRatio(source)));
};

/** Height of the camera in metres: a closer camera is higher. */
const eyeFor = (shows: ShotFraming): number => (shows === 'full' ? 1.1 : 1.3);

/**
 * The empty places of the two background swaps, for an engine that puts its own cut-outs into them. Requests
 * are already validated against the bodies of these workflows.
 */
export const grounds = {
  /** The ordered format, otherwise the source's own. */
  sizeOf(request: RenderRequest, source: Canvas): Canvas & { readonly facts: Facts } {
    const { width, height, aspectRatio, resolution } = sheetOf(request, source);
    return { width, height, facts: { aspect_ratio: aspectRatio, resolution } };
  },

  async groundFor(
    request: RenderRequest,
    { width, height }: Canvas,
    { x, soles, stature, shows }: Stance,
  ): Promise<{ readonly picture: Raster; readonly x: number; readonly facts: Facts }> {
    const { about, seen } = placeOf(request);
    const view = viewAt({ width, height }, soles, stature, shows);
    const size = sheetOf(request, { width, height });
    const at = { ...view, framing: { ...view.framing, x } };
    const { setting, view: placed } = await seen(
      { ...size, width, height },
      { view: at, eye: eyeFor(shows) },
    );
    return { picture: setting.plate, x: placed.framing.x, facts: { ...about, backdrop: setting.facts } };
  },

  marked: (picture: Raster): Promise<Raster> => marked(picture, true),
};
