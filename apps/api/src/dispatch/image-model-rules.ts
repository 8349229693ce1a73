import { Inject, Injectable } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { modelFor, type ImageModel, type ModelledBody } from '#platform/image-models.js';
import type { FieldProblem } from '#validation/validate.js';

/** The image models of this installation, and what a body may ask of them. */
@Injectable()
export class ImageModels {
  /** At least one; the first draws where a body names none. */
  private readonly all: readonly ImageModel[];

  constructor(@Inject(Configuration) { imageModels }: Configuration) {
    this.all = imageModels;
  }

  /** What is wrong with the model that a body names, or with what it gives that model. */
  problems(body: ModelOrder): FieldProblem[] {
    const field = body.model === undefined ? 'image_model' : 'model';
    const model = modelFor(this.all, body);
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
  withoutUnknownQuality<Body extends ModelOrder>(body: Body): Body {
    if (body.quality === undefined || modelFor(this.all, body)?.supportsQuality) return body;
    const { quality: _dropped, ...rest } = body;
    // A body keeps all of its other fields, and this one is optional in every body that has it.
    return rest as Body;
  }
}

/** What a body asks of its image model, and gives it. */
interface ModelOrder extends ModelledBody {
  readonly quality?: string;
  readonly garment_image_asset_refs?: readonly string[];
}
