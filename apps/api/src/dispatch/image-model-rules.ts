import { Inject, Injectable } from '@nestjs/common';
import type { BriefRole, OwnPicture } from '@atelier/engine';
import type { Caller } from '#application/command-context.js';
import { findReferences, type UnfitReference } from '#application/dispatch/references.js';
import { Configuration } from '#platform/configuration.js';
import { engineFamilies } from '#platform/engine-families.js';
import {
  ImageModelChoice,
  isRemote,
  knowsDrawnPeopleOnly,
  type ImageModel,
  type ModelledBody,
} from '#platform/image-models.js';
import type { FieldProblem } from '#validation/validate.js';
import type { Workflow } from '#workflows/define-workflow.js';
import { outputRatios } from '#workflows/common-fields.js';
import { invalid } from '../http/api-error.js';

interface ChosenModel {
  /** The model whose rules the body has to keep. */
  readonly asked: ImageModel;
  /** The model that draws. For a test key it is the sandbox, unless the registry names the vendor. */
  readonly draws: ImageModel;
}

/** The image models of this installation, and the rules for bodies that use them. */
@Injectable()
export class ImageModels {
  readonly choice: ImageModelChoice;

  constructor(@Inject(Configuration) { imageModels }: Configuration) {
    this.choice = new ImageModelChoice(imageModels);
  }

  /**
   * The model for a dispatch. @throws ApiError 422 for the model that the body names, or for fields that the
   * model does not support
   */
  choose(workflow: Workflow, body: ModelOrder, { tenant, environment }: Caller): ChosenModel {
    const asked = this.choice.asked(body, workflow.name, tenant);
    const making = this.choice.making(workflow.name);
    if (!asked || !making.includes(asked)) throw invalid([notMade(body, making)]);
    const problems = unfulfilled(workflow, body, asked);
    if (problems.length > 0) throw invalid(problems);
    return { asked, draws: this.drawing(asked, environment) };
  }

  /** States that the model cannot work on a picture, and which model could. */
  unfit({ name }: Workflow, model: ImageModel, { loc, lacks }: UnfitReference, caller: Caller): FieldProblem {
    const others = this.choice
      .making(name)
      .filter((other) => !knowsDrawnPeopleOnly(this.drawing(other, caller.environment)))
      .map(({ id }) => id);
    const instead =
      others.length > 0
        ? `for photographs of people, use ${others.join(', ')}`
        : 'no image model that this key may use accepts photographs of people';
    const msg = `must name ${ownKinds[lacks]} with the image model ${model.id}; ${instead}`;
    return { loc: [...loc], msg, type: 'value' };
  }

  /** The model that draws when this model is requested. */
  private drawing(asked: ImageModel, environment: Caller['environment']): ImageModel {
    return environment === 'test' && asked.test_keys === 'sandbox' ? this.choice.sandbox : asked;
  }
}

/** The pictures that a model accepts if it works only on people that it drew, by kind. */
const ownKinds: Readonly<Record<OwnPicture, string>> = {
  person: 'a model of the catalogue or a picture of a person that was generated here',
  composition: 'a picture of a dressed person that was generated here',
};

/**
 * The body without `quality` if its model does not support it, because the interface says that it is then
 * dropped.
 */
export function withoutUnknownQuality<Body extends ModelOrder>(body: Body, model: ImageModel): Body {
  if (body.quality === undefined || model.supports_quality) return body;
  const { quality: _dropped, ...rest } = body;
  // A body keeps all of its other fields, and this one is optional in every body that has it.
  return rest as Body;
}

interface ModelOrder extends ModelledBody {
  readonly quality?: string;
  readonly garment_image_asset_refs?: readonly string[];
  readonly resolution?: string;
  readonly aspect_ratio?: string;
  readonly output_preset?: keyof typeof outputRatios;
  readonly seed?: number;
  readonly eval_enabled?: boolean;
}

function notMade(body: ModelOrder, making: readonly ImageModel[]): FieldProblem {
  const field = body.model === undefined ? 'image_model' : 'model';
  if (making.length === 0) {
    return { loc: ['body'], msg: 'no image model of this installation makes this workflow', type: 'value' };
  }
  return {
    loc: ['body', field],
    msg: `must be one of: ${making.map(({ id }) => id).join(', ')}`,
    type: 'enum',
  };
}

/**
 * The fields of a body that a model cannot fulfil. They are refused and not silently dropped, because the
 * caller would pay for them.
 */
function unfulfilled(workflow: Workflow, body: ModelOrder, model: ImageModel): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const refuse = (field: string, msg: string, type = 'value') =>
    problems.push({ loc: ['body', field], msg, type });
  const { id } = model;
  const { resolution, aspect_ratio: ratio, output_preset: preset } = body;
  if (resolution !== undefined && !model.resolutions.includes(resolution)) {
    refuse('resolution', `must be one of ${model.resolutions.join(', ')} with the image model ${id}`);
  }
  const draws = (wanted: string) => model.aspect_ratios?.includes(wanted) ?? true;
  if (ratio !== undefined && !draws(ratio)) {
    refuse('aspect_ratio', `must be one of ${model.aspect_ratios?.join(', ')} with the image model ${id}`);
  } else if (ratio === undefined && preset !== undefined && !draws(outputRatios[preset])) {
    refuse('output_preset', `is ${outputRatios[preset]}, which the image model ${id} does not draw`);
  }
  if (body.seed !== undefined && !model.seed) {
    refuse('seed', `must be left out: the image model ${id} takes no seed`);
  }
  if (body.eval_enabled && isRemote(model)) {
    refuse('eval_enabled', `cannot be true: pictures of the image model ${id} are not evaluated`);
  }
  const garments = body.garment_image_asset_refs;
  if (garments && garments.length > model.max_inputs) {
    refuse(
      'garment_image_asset_refs',
      `must be at most ${model.max_inputs} pictures with the image model ${id}`,
      'array',
    );
  } else if (isRemote(model)) {
    const given = picturesGiven(workflow, body);
    const [most] = given.toSorted((one, other) => other.length - one.length);
    const withoutPlace = (parts: BriefRole[]) => engineFamilies[model.family]?.withoutPlace?.(model, parts);
    const lacking = given.map(withoutPlace).find((part) => part !== undefined);
    const problem =
      most && most.length > model.max_inputs
        ? `names more pictures than the ${model.max_inputs} that the image model ${id} takes`
        : lacking && `names a picture (${lacking}) for which the image model ${id} has no place`;
    if (problem) problems.push({ loc: ['body'], msg: problem, type: 'value' });
  }
  return problems;
}

/** For each picture that the model draws: the parts of the pictures that it gets as inputs. */
function picturesGiven(workflow: Workflow, body: object): BriefRole[][] {
  if (workflow.batch) return [];
  // A validated body, whose fields are looked up by name.
  const named = findReferences(workflow.references, body as Readonly<Record<string, unknown>>);
  const pictures = named.flatMap(({ input }) => (input === undefined ? [] : [{ name: input }]));
  const { steps } = workflow.brief({ body, pictures, category: undefined, displayName: '' });
  const orders = steps.flatMap((step) => (step.kind === 'reading' ? step.otherwise : [step]));
  // The recipe of a shot goes along in words.
  return orders.flatMap((order) =>
    order.kind === 'picture' ? [order.inputs.map(({ role }) => role).filter((role) => role !== 'shot')] : [],
  );
}
