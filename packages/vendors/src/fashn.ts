import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { EngineError, type BriefRole } from '@atelier/engine';
import { capacityFrom, farewellMs, LostCall, refusalOf, tooManyPictures } from './failures.js';
import { dataUrl, fetchPicture, JsonApi } from './json-api.js';
import type { ImageVendor, PictureCall, VendorImage, VendorModel, VendorPictures } from './vendor.js';

/** The fields that an endpoint takes. */
interface Endpoint {
  /** Its field names for the pictures: by the role of each picture, or in the order of the pictures. */
  readonly pictures: Readonly<Partial<Record<BriefRole, string>>> | readonly string[];
  /** Whether it takes a prompt; endpoints without one do only one thing. */
  readonly prompt: boolean;
  /** Whether it draws the ordered format. Other endpoints keep the format of their first picture. */
  readonly ratio: boolean;
}

/** By the vendor's names for them (docs.fashn.ai/api-reference). */
const endpoints: Readonly<Record<string, Endpoint>> = {
  'tryon-v1.6': {
    pictures: { person: 'model_image', garment: 'garment_image' },
    prompt: false,
    ratio: false,
  },
  'tryon-max': {
    pictures: { person: 'model_image', garment: 'product_image' },
    prompt: false,
    ratio: false,
  },
  'product-to-model': {
    pictures: { garment: 'product_image', person: 'face_reference', scene: 'background_reference' },
    prompt: true,
    ratio: true,
  },
  'model-swap': {
    pictures: { subject: 'model_image', person: 'face_reference' },
    prompt: false,
    ratio: false,
  },
  edit: { pictures: ['image', 'image_context'], prompt: true, ratio: false },
};

interface Prediction {
  readonly status?: string;
  readonly output?: readonly string[] | null;
  readonly error?: { readonly name?: string } | null;
}

/**
 * FASHN's endpoints; each is a model of the registry. It runs, polls and fetches predictions, and finds a
 * prediction again by its id.
 */
export class FashnVendor implements ImageVendor {
  private readonly api: JsonApi;

  constructor(private readonly model: VendorModel) {
    const base = (model.endpoint ?? 'https://api.fashn.ai/v1').replace(/\/+$/, '');
    this.api = new JsonApi(base, { authorization: `Bearer ${model.secret ?? ''}` }, failureOf);
  }

  async draw(call: PictureCall): Promise<VendorPictures> {
    const inputs = await this.inputsOf(call);
    const order = { model_name: this.model.model, inputs };
    const { id } = (await this.api.ask('POST', '/run', call.signal, order)) as { id?: string };
    if (!id) throw refusalOf('outcome_unknown');
    await call.submitted(id);
    return this.resume(id, call);
  }

  async resume(vendorRequestId: string, { signal }: Pick<PictureCall, 'signal'>): Promise<VendorPictures> {
    const { poll_ms: pollMs = 1_000 } = this.model.options as { readonly poll_ms?: number };
    for (;;) {
      const prediction = (await this.api.look(`/status/${vendorRequestId}`, signal)) as Prediction;
      if (prediction.status === 'completed') {
        const urls = prediction.output ?? [];
        const pictures = await Promise.all(urls.map((url) => fetchPicture(url, signal)));
        return { pictures, vendorRequestId };
      }
      if (!['starting', 'in_queue', 'processing'].includes(prediction.status ?? ''))
        throw runtimeFailures[prediction.error?.name ?? '']?.() ?? refusalOf('no_image');
      await sleep(pollMs, undefined, { signal });
    }
  }

  /** It may be too late to cancel a running prediction. Then the vendor's later answer counts. */
  async cancel(vendorRequestId: string): Promise<boolean> {
    const signal = AbortSignal.timeout(farewellMs);
    await this.api.send('POST', `/cancel/${vendorRequestId}`, signal);
    return ((await this.api.look(`/status/${vendorRequestId}`, signal)) as Prediction).status === 'canceled';
  }

  async check(signal: AbortSignal): Promise<string> {
    if (!endpoints[this.model.model]) return Promise.reject(unknownEndpoint());
    const { credits } = (await this.api.ask('GET', '/credits', signal)) as { credits?: { total?: number } };
    return `${credits?.total ?? 'an unknown number of'} credits are left`;
  }

  private async inputsOf({ images, prompt, ratio, size, seed, count }: PictureCall) {
    const endpoint = endpoints[this.model.model];
    if (!endpoint) throw unknownEndpoint();
    const [first, ...others] = images;
    const sent =
      first && !endpoint.ratio ? [await cutTo(first, size.width / size.height), ...others] : images;
    const { poll_ms: _, ...also } = this.model.options;
    return {
      ...(await placed(sent, endpoint.pictures)),
      ...(endpoint.prompt && { prompt }),
      ...(endpoint.ratio && { aspect_ratio: ratio }),
      ...(this.model.seed && { seed }),
      ...(count > 1 && { [this.model.model === 'tryon-v1.6' ? 'num_samples' : 'num_images']: count }),
      output_format: 'png',
      // With this the vendor does not store the pictures.
      return_base64: true,
      ...also,
    };
  }
}

/**
 * Puts each picture into the field of its role. Refuses a picture without a field, which would be missing from
 * the result.
 */
async function placed(images: readonly VendorImage[], names: Endpoint['pictures']) {
  const fields: Record<string, string> = {};
  for (const [index, image] of images.entries()) {
    const name = Array.isArray(names)
      ? names[index]
      : (names as Partial<Record<BriefRole, string>>)[image.role];
    if (name === undefined || fields[name] !== undefined) throw tooManyPictures();
    // The vendor advises JPEG, and answers 500 to bodies that are too large.
    const bytes = await sharp(image.bytes)
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 95 })
      .toBuffer();
    fields[name] = dataUrl({ bytes, contentType: 'image/jpeg' });
  }
  return fields;
}

/**
 * The share of a picture that may be cut off to get the ordered format. It is enough to turn 2:3 into 4:5, but
 * not into a square.
 */
const harmless = 0.2;

/**
 * The picture in the order's format, cut around its most striking part. The result then has that format, too.
 */
async function cutTo(image: VendorImage, wanted: number): Promise<VendorImage> {
  const { width, height } = await sharp(image.bytes).metadata();
  const found = width / height;
  const share = Math.min(found, wanted) / Math.max(found, wanted);
  if (share > 0.99) return image;
  if (share < 1 - harmless) {
    const message =
      'The image model keeps the format of the picture that it is given. Order that format, or another model. Your credits were refunded.';
    throw new EngineError('bad_input', message);
  }
  const size = found > wanted ? [Math.round(height * wanted), height] : [width, Math.round(width / wanted)];
  const bytes = await sharp(image.bytes)
    .resize(...(size as [number, number]), { position: sharp.strategy.attention })
    .toBuffer();
  return { ...image, bytes };
}

const unknownEndpoint = () => refusalOf('misconfigured');

/** The failures of a running prediction, by the vendor's names. Failed predictions are not billed. */
const runtimeFailures: Readonly<Record<string, () => EngineError>> = {
  ImageLoadError: () => refusalOf('bad_input'),
  PoseError: () => refusalOf('bad_input'),
  PhotoTypeError: () => refusalOf('bad_input'),
  ContentModerationError: () => refusalOf('policy'),
  NSFWError: () => refusalOf('policy'),
  // Documented as: a provider behind the vendor restricts contents.
  ThirdPartyError: () => refusalOf('policy'),
  InputValidationError: () => refusalOf('misconfigured'),
  LoRALoadError: () => refusalOf('misconfigured'),
  '3rdPartyProviderError': () => capacityFrom(),
  UnavailableError: () => capacityFrom(),
  PipelineError: () => capacityFrom(),
  InternalServerError: () => capacityFrom(),
};

/** The class of a refusal that comes before there is a prediction. */
function failureOf({ status, headers }: Response, said: unknown, submitting: boolean): EngineError {
  const { error } = (said ?? {}) as { error?: unknown };
  if (error === 'OutOfCredits' || status === 402) return refusalOf('misconfigured');
  if (status === 413) return refusalOf('bad_input');
  if (status === 404 && !submitting) return new LostCall();
  if (status === 408 || status === 504 || status < 400) return refusalOf('outcome_unknown');
  // The vendor says that it accepted nothing if it gave no id.
  if (status === 429 || status >= 500) return capacityFrom(headers.get('retry-after'));
  return refusalOf('misconfigured');
}
