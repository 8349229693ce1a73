import type { EngineError } from '@atelier/engine';
import { capacityFrom, refusalOf } from './failures.js';
import { JsonApi, parsedJson, patient } from './json-api.js';
import type {
  ImageVendor,
  PictureCall,
  ReadingCall,
  VendorImage,
  VendorModel,
  VendorPictures,
  VendorReading,
} from './vendor.js';

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
}

/** The parts of a `GenerateContentResponse` that are read here. */
interface Answer {
  readonly responseId?: string;
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly candidates?: readonly {
    readonly finishReason?: string;
    readonly content?: { readonly parts?: readonly Part[] };
  }[];
}

/**
 * Google's image models, called through the Gemini API. A call cannot be found again: its answer comes on its
 * own connection, or never. It uses the documented HTTP API: the vendor's own client brings Google's
 * authentication along, which a key does not need.
 */
export class GeminiVendor implements ImageVendor {
  private readonly api: JsonApi;

  constructor(private readonly model: VendorModel) {
    const base = (model.endpoint ?? 'https://generativelanguage.googleapis.com').replace(/\/+$/, '');
    const headers = {
      'x-goog-api-key': model.secret ?? 'none',
      // In seconds: past this time the vendor need not go on, because the caller no longer waits.
      'x-server-timeout': String(Math.ceil(model.timeout_seconds)),
    };
    this.api = new JsonApi(`${base}/v1beta`, headers, failureOf, patient(model));
  }

  async draw({ images, prompt, ratio, size, seed, signal }: PictureCall): Promise<VendorPictures> {
    const imageSize = imageSizeFor(Math.max(size.width, size.height));
    const answer = await this.generate(
      this.model.model,
      [{ text: prompt }, ...images.map(partOf)],
      {
        responseModalities: ['IMAGE'],
        imageConfig: { aspectRatio: ratio, ...(imageSize && { imageSize }) },
        // The API takes a signed 32-bit integer.
        ...(this.model.seed && { seed: seed | 0 }),
        ...this.model.options,
      },
      signal,
    );
    const pictures = partsOf(answer).flatMap(({ inlineData, thought }) =>
      // Models that think also send drafts, which are marked as thoughts.
      inlineData?.data && !thought ? [Buffer.from(inlineData.data, 'base64')] : [],
    );
    if (pictures.length === 0 && refusedFor(answer)) throw refusalOf('policy');
    return { pictures, vendorRequestId: answer.responseId ?? null };
  }

  async read({ images, question, schema, signal }: ReadingCall): Promise<VendorReading> {
    const answer = await this.generate(
      this.model.vision_model ?? '',
      [...images.map(partOf), { text: question }],
      { responseMimeType: 'application/json', responseJsonSchema: schema },
      signal,
    );
    const text = partsOf(answer).flatMap(({ text: said, thought }) => (said && !thought ? [said] : []));
    if (text.length === 0 && refusedFor(answer)) throw refusalOf('policy');
    return { reading: parsedJson(text.join('')), vendorRequestId: answer.responseId ?? null };
  }

  async check(signal: AbortSignal): Promise<string> {
    await this.api.ask('GET', `/${pathOf(this.model.model)}`, signal);
    return `${this.model.model} is there`;
  }

  private async generate(
    model: string,
    parts: readonly Part[],
    config: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const order = { contents: [{ role: 'user', parts }], ...requestOf(config) };
    return (await this.api.ask('POST', `/${pathOf(model)}:generateContent`, signal, order)) ?? {};
  }
}

/** A tuned model is named with its collection, others without. */
const pathOf = (model: string): string =>
  /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`;

/** These fields of the config stand beside `generationConfig` in a request, and all others in it. */
const beside = new Set([
  'cachedContent',
  'labels',
  'safetySettings',
  'serviceTier',
  'store',
  'systemInstruction',
  'toolConfig',
  'tools',
]);

function requestOf(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(config);
  return {
    ...Object.fromEntries(entries.filter(([name]) => beside.has(name))),
    generationConfig: Object.fromEntries(entries.filter(([name]) => !beside.has(name))),
  };
}

/** 1K is left out: it is the models' default, and the only size of some of them. */
function imageSizeFor(longSide: number): string | undefined {
  if (longSide <= 1024) return undefined;
  return longSide <= 2048 ? '2K' : '4K';
}

const partOf = ({ bytes, contentType }: VendorImage): Part => ({
  inlineData: { mimeType: contentType, data: bytes.toString('base64') },
});

const partsOf = ({ candidates }: Answer): readonly Part[] => candidates?.[0]?.content?.parts ?? [];

/**
 * Only these reasons concern the content. Others (NO_IMAGE, IMAGE_OTHER, MAX_TOKENS, text alone) just mean that
 * there is no picture.
 */
const policyReasons =
  /^(?:SAFETY|IMAGE_SAFETY|PROHIBITED_CONTENT|IMAGE_PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION|IMAGE_RECITATION|MODEL_ARMOR|JAILBREAK)$/;

function refusedFor({ promptFeedback, candidates }: Answer): boolean {
  // A blocked prompt has no candidates. By the documentation, the reason `OTHER` also means that it was
  // blocked.
  if (promptFeedback?.blockReason) return true;
  return policyReasons.test(candidates?.[0]?.finishReason ?? '');
}

interface ErrorBody {
  readonly error?: {
    readonly message?: string;
    readonly details?: readonly { readonly reason?: string; readonly retryDelay?: string }[];
  };
}

/** The class of a failure, by Google's documented errors. */
function failureOf({ status }: Response, said: unknown): EngineError {
  const { error: { message = '', details = [] } = {} } = (said ?? {}) as ErrorBody;
  // `RetryInfo` gives the delay as `34s` or `34.07s`.
  const pause = details.find(({ retryDelay }) => retryDelay)?.retryDelay?.replace(/s$/, '');
  if (status === 413) return refusalOf('bad_input');
  if (status === 400) {
    const key = details.some(({ reason }) => reason === 'API_KEY_INVALID');
    return refusalOf(!key && /image/i.test(message) ? 'bad_input' : 'misconfigured');
  }
  // The answer breaks off in the middle or is not JSON, or the caller gave up waiting.
  if (status < 400 || status === 408 || status === 504 || status === 499) return refusalOf('outcome_unknown');
  if (status === 429 || status >= 500) return capacityFrom(pause);
  return refusalOf('misconfigured');
}
