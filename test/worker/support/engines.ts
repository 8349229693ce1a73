import sharp from 'sharp';
import type { ArtifactKind, EnginePicture, ImageEngine, RenderContext, RenderRequest } from '@atelier/engine';

/** A real PNG of one colour, the fastest possible picture. */
export async function plainPicture(kind: ArtifactKind, colour = '#888'): Promise<EnginePicture> {
  const [width, height] = [8, 6];
  const bytes = await sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer();
  return { kind, label: kind, bytes, contentType: 'image/png', width, height, meta: { colour } };
}

/** An engine's work before it returns its one final picture: it may fail, wait, or report stages. */
export type Behaviour = (request: RenderRequest, context: RenderContext) => Promise<void>;

export function engineThat(behave: Behaviour): ImageEngine {
  return {
    name: 'plain',
    async render(request, context) {
      await behave(request, context);
      return { pictures: [await plainPicture('on_model_render')], message: 'Done', model: 'plain-1' };
    },
  };
}

export const obligingEngine = engineThat(() => Promise.resolve());
