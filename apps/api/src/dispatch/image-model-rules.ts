import { defaultImageModels, type ImageModel } from '#platform/image-models.js';
import type { FieldProblem } from '#validation/validate.js';

/** The image models of this installation, and what a body may ask of them. */
export class ImageModels {
  readonly #preferred: ImageModel;

  /** @param all at least one; the first draws where a body names none */
  constructor(private readonly all: readonly ImageModel[] = defaultImageModels) {
    const [preferred] = all;
    if (!preferred) throw new RangeError('an installation has at least one image model');
    this.#preferred = preferred;
  }

  /** What is wrong with the model that a body names, or with what it gives that model. */
  problems(body: ModelledBody): FieldProblem[] {
    const field = body.model === undefined ? 'image_model' : 'model';
    const model = this.#modelOf(body);
    if (!model) {
      const msg = `must be one of: ${this.all.map(({ id }) => id).join(', ')}`;
      return [{ loc: ['body', field], msg, type: 'enum' }];
    }
    const { id, maxInputs } = model;
    const garments = body.garment_image_asset_refs;
    if (!garments || garments.length <= maxInputs) return [];
    const msg = `must be at most ${maxInputs} with the image model ${id}`;
    return [{ loc: ['body', 'garment_image_asset_refs'], msg, type: 'array' }];
  }

  /** The body without `quality`, where its model does not know it. */
  withoutUnknownQuality<Body extends ModelledBody>(body: Body): Body {
    if (body.quality === undefined || this.#modelOf(body)?.supportsQuality) return body;
    const { quality: _dropped, ...rest } = body;
    // A body keeps all of its other fields, and this one is optional in every body that has it.
    return rest as Body;
  }

  #modelOf({ model, image_model: named = model }: ModelledBody): ImageModel | undefined {
    return named === undefined ? this.#preferred : this.all.find(({ id }) => id === named);
  }
}

/** What a body says about image models: `model` is what catalogue shots call it. */
interface ModelledBody {
  readonly image_model?: string;
  readonly model?: string;
  readonly quality?: string;
  readonly garment_image_asset_refs?: readonly string[];
}
