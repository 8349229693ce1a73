import type { ImageVendor, VendorModel } from '@atelier/vendors';
import type { EngineFamily, EngineMaker } from '#platform/engine-families.js';
import type { ImageModel } from '#platform/image-models.js';

/*
 * The families of image models, and everything that the service knows about each: what the registry's file must
 * say, what a dispatch refuses, and where the code is. A vendor's code is one file of `packages/vendors/src`.
 */

/** Makes engines that call a vendor through its class. */
function asked(
  loadVendor: () => Promise<new (model: VendorModel) => ImageVendor>,
): () => Promise<EngineMaker> {
  return async () => {
    const [{ VendorEngine }, Vendor] = await Promise.all([import('@atelier/vendors'), loadVendor()]);
    return {
      open: (model, testMark) => new VendorEngine(model, new Vendor(model), testMark),
      check: (model, signal) => new Vendor(model).check(signal),
    };
  };
}

const openai: EngineFamily = {
  transparent: true,
  reads: true,
  load: asked(async () => (await import('@atelier/vendors/openai')).OpenAiVendor),
};

const gemini: EngineFamily = {
  transparent: false,
  reads: true,
  load: asked(async () => (await import('@atelier/vendors/gemini')).GeminiVendor),
};

interface Endpoint {
  readonly workflows: readonly string[];
  readonly max_inputs: number;
}

const swaps = ['background-swap-with-image', 'background-swap-with-spec'];
/** Each endpoint of FASHN does one thing. */
export const fashnEndpoints: Readonly<Record<string, Endpoint>> = {
  'tryon-v1.6': { workflows: ['try-on'], max_inputs: 2 },
  'tryon-max': { workflows: ['try-on'], max_inputs: 2 },
  'product-to-model': { workflows: ['product-to-model-direct'], max_inputs: 3 },
  'model-swap': { workflows: ['model-swap-with-image'], max_inputs: 2 },
  edit: { workflows: swaps, max_inputs: 2 },
};

const fashn: EngineFamily = {
  transparent: false,
  reads: false,
  mistakes({ model, workflows }) {
    const endpoint = fashnEndpoints[model ?? ''];
    if (!endpoint)
      return [['/model', `must be an endpoint of FASHN: ${Object.keys(fashnEndpoints).join(', ')}`]];
    if (!workflows?.some((name) => !endpoint.workflows.includes(name))) return [];
    const made = endpoint.workflows.join(', ');
    return [['/workflows', `must be left out, or hold only what ${model} makes: ${made}`]];
  },
  within(model) {
    const endpoint = fashnEndpoints[model.model ?? ''];
    return endpoint ? { workflows: endpoint.workflows, ...atMost(model, endpoint.max_inputs) } : model;
  },
  load: asked(async () => (await import('@atelier/vendors/fashn')).FashnVendor),
};

/** The facts that may be mapped to inputs of a fal model. The last ones are pictures, named by their part. */
const falParts = ['person', 'garment', 'scene', 'shot', 'photograph', 'subject'];
const falFacts = ['prompt', 'images', 'seed', 'count', 'aspect_ratio', 'width', 'height', ...falParts];

/** The inputs of a fal model, by their names in the registry. */
const falFields = ({ options }: ImageModel) =>
  options['fields'] as Readonly<Record<string, string>> | undefined;

const loadFal = async () => (await import('@atelier/vendors/fal')).FalVendor;

const fal: EngineFamily = {
  transparent: true,
  reads: false,
  erases: true,
  mistakes(model) {
    const unknown = Object.keys(falFields(model) ?? {}).filter((name) => !falFacts.includes(name));
    return [
      ...(model.model === undefined
        ? [['/model', 'is missing: give the name of the model at fal'] as const]
        : []),
      ...workflowsMissing(model, 'model of fal'),
      ...(unknown.length > 0
        ? [['/options/fields', `may have ${falFacts.join(', ')}, and not ${unknown.join(', ')}`] as const]
        : []),
    ];
  },
  /** Only a model that maps each picture by its part may have no place for one. */
  withoutPlace(model, parts) {
    const fields = falFields(model);
    if (!fields || fields['images'] !== undefined) return undefined;
    return parts.find((part, index) => fields[part] === undefined || parts.indexOf(part) < index);
  },
  load: async () => {
    const [maker, Vendor] = await Promise.all([asked(loadFal)(), loadFal()]);
    return { ...maker, erase: (model, id, signal) => new Vendor(model).erase(id, signal) };
  },
};

/** Pictures that the shipped graphs of ComfyUI take. */
const graphInputs = 3;

const comfyui: EngineFamily = {
  transparent: true,
  reads: false,
  within: (model) => (model.options['graphs'] ? model : atMost(model, graphInputs)),
  load: asked(async () => (await import('@atelier/vendors/comfyui')).ComfyVendor),
};

/** The family of engines from other authors. */
const ofPackages: EngineFamily = {
  transparent: true,
  reads: false,
  mistakes: (model) => workflowsMissing(model, 'package'),
  load: async () => (await import('./packaged-engine.js')).packagedEngines,
};

function atMost(model: ImageModel, most: number): ImageModel {
  return { ...model, max_inputs: Math.min(most, model.max_inputs) };
}

function workflowsMissing({ workflows }: ImageModel, made: string) {
  if (workflows) return [];
  return [['/workflows', `is missing: list the workflows that this ${made} makes`]] as const;
}

/** The families, by their names in the registry. */
export const vendorFamilies = { openai, gemini, fashn, fal, comfyui, package: ofPackages };
