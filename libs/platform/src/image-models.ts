/** The kinds of models that a worker of this release has an engine for. */
export const imageModelFamilies = ['sketch'] as const;

export type ImageModelFamily = (typeof imageModelFamilies)[number];

/** A model that pictures can be asked of. Its id is what callers send, and configuration, never an enumeration. */
export interface ImageModel {
  readonly id: string;
  readonly family: ImageModelFamily;
  /** Pictures that one request may give it. */
  readonly maxInputs: number;
  /** Whether `quality` means anything to it; it is dropped for models that do not know it. */
  readonly supportsQuality: boolean;
}

/** What a body says about image models: `model` is what catalogue shots call it. */
export interface ModelledBody {
  readonly image_model?: unknown;
  readonly model?: unknown;
}

/** The model that a body names, or the first where it names none; undefined for one that is not there. */
export function modelFor(
  models: readonly ImageModel[],
  { model, image_model: named = model }: ModelledBody,
): ImageModel | undefined {
  return named === undefined ? models[0] : models.find(({ id }) => id === named);
}

/** What draws where the operator says nothing: `high` quality is 2K with it. */
export const defaultImageModels: readonly ImageModel[] = [
  { id: 'sketch-1', family: 'sketch', maxInputs: 8, supportsQuality: true },
];

/** As many pictures as any engine is known to take at once. */
export const mostInputs = 16;

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/**
 * The models of `ATELIER_IMAGE_MODELS`: `[{"id", "family", "max_inputs", "supports_quality"}, …]`. The first one draws
 * where a request names none.
 * @returns the models, or in a sentence's second half what is wrong with the text
 */
export function parseImageModels(text: string): readonly ImageModel[] | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'must be JSON';
  }
  if (!Array.isArray(parsed) || parsed.length === 0) return 'must be a JSON array of at least one model';
  const models: ImageModel[] = [];
  for (const [index, entry] of parsed.entries()) {
    const model = parseImageModel(entry);
    if (typeof model === 'string') return `[${index}] ${model}`;
    if (models.some(({ id }) => id === model.id)) return `[${index}] repeats the id ${model.id}`;
    models.push(model);
  }
  return models;
}

function parseImageModel(entry: unknown): ImageModel | string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'must be an object';
  // An object, as was just seen; its members are checked one by one.
  const {
    id,
    family,
    max_inputs: maxInputs,
    supports_quality: supportsQuality,
    ...rest
  } = entry as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `has the unknown member ${unknown}`;
  if (typeof id !== 'string' || !idPattern.test(id))
    return 'must have an id of 1 to 64 letters, digits or ._:/-';
  const known = imageModelFamilies.find((each) => each === family);
  if (!known) return `must have a family, one of: ${imageModelFamilies.join(', ')}`;
  if (
    typeof maxInputs !== 'number' ||
    !Number.isInteger(maxInputs) ||
    maxInputs < 1 ||
    maxInputs > mostInputs
  ) {
    return `must have max_inputs, a whole number from 1 to ${mostInputs}`;
  }
  if (typeof supportsQuality !== 'boolean') return 'must have supports_quality, true or false';
  return { id, family: known, maxInputs, supportsQuality };
}
