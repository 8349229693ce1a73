import { ApiError, GoogleGenAI, type GenerateContentResponse, type Part } from '@google/genai';
import type { EngineError } from '@atelier/engine';
import { capacityFrom, neverSent, refusalOf } from './failures.js';
import { parsedJson } from './json-api.js';
import type {
  ImageVendor,
  PictureCall,
  ReadingCall,
  VendorImage,
  VendorModel,
  VendorPictures,
  VendorReading,
} from './vendor.js';

/**
 * Google's image models, called through the Gemini API. A call cannot be found again: its answer comes on its
 * own connection, or never.
 */
export class GeminiVendor implements ImageVendor {
  private readonly client: GoogleGenAI;

  constructor(private readonly model: VendorModel) {
    const { secret: apiKey = 'none', endpoint: baseUrl } = model;
    this.client = new GoogleGenAI({
      apiKey,
      // Without this, environment variables for Google's cloud would decide.
      vertexai: false,
      // Without `retryOptions` the client tries once; a second try could be paid twice. The client itself lifts
      // Node's limits of 300 s.
      httpOptions: { ...(baseUrl && { baseUrl }), timeout: model.timeout_seconds * 1000 },
    });
  }

  async draw({ images, prompt, ratio, size, seed, signal }: PictureCall): Promise<VendorPictures> {
    const imageSize = imageSizeFor(Math.max(size.width, size.height));
    const answer = await unlessFailed(
      this.client.models.generateContent({
        model: this.model.model,
        contents: [{ role: 'user', parts: [{ text: prompt }, ...images.map(partOf)] }],
        config: {
          responseModalities: ['IMAGE'],
          imageConfig: { aspectRatio: ratio, ...(imageSize && { imageSize }) },
          // The API takes a signed 32-bit integer.
          ...(this.model.seed && { seed: seed | 0 }),
          ...this.model.options,
          abortSignal: signal,
        },
      }),
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
    const answer = await unlessFailed(
      this.client.models.generateContent({
        model: this.model.vision_model ?? '',
        contents: [{ role: 'user', parts: [...images.map(partOf), { text: question }] }],
        config: { responseMimeType: 'application/json', responseJsonSchema: schema, abortSignal: signal },
      }),
      signal,
    );
    const text = partsOf(answer).flatMap(({ text: said, thought }) => (said && !thought ? [said] : []));
    if (text.length === 0 && refusedFor(answer)) throw refusalOf('policy');
    return { reading: parsedJson(text.join('')), vendorRequestId: answer.responseId ?? null };
  }

  async check(signal: AbortSignal): Promise<string> {
    const model = this.model.model;
    await unlessFailed(this.client.models.get({ model, config: { abortSignal: signal } }), signal);
    return `${model} is there`;
  }
}

/** 1K is left out: it is the models' default, and the only size of some of them. */
function imageSizeFor(longSide: number): string | undefined {
  if (longSide <= 1024) return undefined;
  return longSide <= 2048 ? '2K' : '4K';
}

const partOf = ({ bytes, contentType }: VendorImage): Part => ({
  inlineData: { mimeType: contentType, data: bytes.toString('base64') },
});

const partsOf = ({ candidates }: GenerateContentResponse): readonly Part[] =>
  candidates?.[0]?.content?.parts ?? [];

/**
 * Only these reasons concern the content. Others (NO_IMAGE, IMAGE_OTHER, MAX_TOKENS, text alone) just mean that
 * there is no picture.
 */
const policyReasons =
  /^(?:SAFETY|IMAGE_SAFETY|PROHIBITED_CONTENT|IMAGE_PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION|IMAGE_RECITATION|MODEL_ARMOR|JAILBREAK)$/;

function refusedFor({ promptFeedback, candidates }: GenerateContentResponse): boolean {
  // A blocked prompt has no candidates. By the documentation, the reason `OTHER` also means that it was
  // blocked.
  if (promptFeedback?.blockReason) return true;
  return policyReasons.test(candidates?.[0]?.finishReason ?? '');
}

async function unlessFailed<Answer>(asked: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof ApiError) throw failureOf(error);
    // Broken connections and answers that are not JSON have no status. Unless nothing was sent, the call may
    // have been carried out.
    throw neverSent(error) ? capacityFrom() : refusalOf('outcome_unknown');
  }
}

interface ErrorBody {
  readonly error?: {
    readonly message?: string;
    readonly details?: readonly { readonly reason?: string; readonly retryDelay?: string }[];
  };
}

/** The class of a failure, by Google's documented errors. The error's message holds the body of the answer. */
function failureOf({ status, message: text }: ApiError): EngineError {
  const { error: { message = '', details = [] } = {} } = (parsedJson(text) ?? {}) as ErrorBody;
  // `RetryInfo` gives the delay as `34s` or `34.07s`.
  const pause = details.find(({ retryDelay }) => retryDelay)?.retryDelay?.replace(/s$/, '');
  if (status === 413) return refusalOf('bad_input');
  if (status === 400) {
    const key = details.some(({ reason }) => reason === 'API_KEY_INVALID');
    return refusalOf(!key && /image/i.test(message) ? 'bad_input' : 'misconfigured');
  }
  if (status === 408 || status === 504 || status === 499) return refusalOf('outcome_unknown');
  if (status === 429 || status >= 500) return capacityFrom(pause);
  return refusalOf('misconfigured');
}
