import OpenAI, { APIConnectionError, APIError, toFile } from 'openai';
import { Agent } from 'undici';
import { EngineError } from '@atelier/engine';
import { capacityFrom, neverSent, refusalOf } from './failures.js';
import { dataUrl, parsedJson } from './json-api.js';
import type {
  ImageVendor,
  PictureCall,
  ReadingCall,
  VendorModel,
  VendorPictures,
  VendorReading,
} from './vendor.js';

/**
 * The image models of OpenAI, or of a compatible server at the model's endpoint. A call cannot be found again:
 * its answer comes on its own connection, or never.
 */
export class OpenAiVendor implements ImageVendor {
  private readonly client: OpenAI;

  constructor(private readonly model: VendorModel) {
    const limitMs = model.timeout_seconds * 1000;
    this.client = new OpenAI({
      // Self-hosted servers need no key, but the client requires one.
      apiKey: model.secret ?? 'none',
      baseURL: model.endpoint ?? 'https://api.openai.com/v1',
      // A second try could be paid twice. The caller knows the outcome of the first try and decides about a
      // second.
      maxRetries: 0,
      timeout: limitMs,
      // By default Node waits at most 300 s for the head of an answer, and between two parts of its body.
      fetchOptions: { dispatcher: new Agent({ headersTimeout: limitMs, bodyTimeout: limitMs }) },
    });
  }

  async draw(call: PictureCall): Promise<VendorPictures> {
    const { images, signal, idempotencyKey } = call;
    const order = this.orderOf(call);
    const options = { signal, headers: keyed(idempotencyKey) };
    const sending = Promise.all(
      images.map(({ bytes, contentType: type }, index) => toFile(bytes, `image-${index + 1}.png`, { type })),
    );
    const files = await sending;
    const { data, _request_id: requestId } = await unlessFailed(
      files.length > 0
        ? this.client.images.edit({ ...order, image: files }, options)
        : this.client.images.generate(order, options),
      signal,
    );
    const pictures = (data ?? []).flatMap(({ b64_json: encoded }) =>
      encoded ? [Buffer.from(encoded, 'base64')] : [],
    );
    return { pictures, vendorRequestId: requestId ?? null };
  }

  async read({ images, question, schema, signal, idempotencyKey }: ReadingCall): Promise<VendorReading> {
    const pictures = images.map((image) => ({
      type: 'image_url' as const,
      image_url: { url: dataUrl(image) },
    }));
    const asked = this.client.chat.completions.create(
      {
        model: this.model.vision_model ?? '',
        messages: [{ role: 'user', content: [{ type: 'text', text: question }, ...pictures] }],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', strict: true, schema: { ...schema } },
        },
      },
      { signal, headers: keyed(idempotencyKey) },
    );
    const { choices, _request_id: requestId } = await unlessFailed(asked, signal);
    const { content = null, refusal = null } = choices[0]?.message ?? {};
    if (refusal)
      throw new EngineError(
        'policy',
        'The vision model refused the photographs. Your credits were refunded.',
      );
    return {
      reading: content === null ? undefined : parsedJson(content),
      vendorRequestId: requestId ?? null,
    };
  }

  async check(signal: AbortSignal): Promise<string> {
    const { id } = await unlessFailed(this.client.models.retrieve(this.model.model, { signal }), signal);
    return `${id} is there`;
  }

  private orderOf({ prompt, size, transparent, count, quality, ratio }: PictureCall) {
    return {
      model: this.model.model,
      prompt,
      n: count,
      // A size from the model's list, if it has one; the client's types do not know such sizes.
      size: sizeFor(size, ratio, this.model.sizes) as '1024x1024',
      ...(quality && this.model.supports_quality && { quality }),
      ...(transparent &&
        this.model.transparent && { background: 'transparent' as const, output_format: 'png' as const }),
      ...this.model.options,
    };
  }
}

/**
 * The client has an option for this header, but does not send it. Gateways use the header; the vendor ignores
 * it.
 */
const keyed = (idempotencyKey: string) => ({ 'idempotency-key': idempotencyKey });

/** Width and height for the model: the nearest size of its list, or multiples of 16 if it has no list. */
export function sizeFor(
  { width, height }: PictureCall['size'],
  _ratio: string,
  sizes: readonly string[] | undefined,
): string {
  const even = (side: number) => Math.max(16, Math.round(side / 16) * 16);
  if (!sizes) return `${even(width)}x${even(height)}`;
  const distance = (text: string) => {
    const [w = 1, h = 1] = text.split('x').map(Number);
    // The format counts first, then a size that needs no enlargement.
    return Math.abs(Math.log((w / h) * (height / width))) * 10 + Math.max(0, Math.log(width / w));
  };
  return sizes.toSorted((a, b) => distance(a) - distance(b))[0] ?? `${width}x${height}`;
}

async function unlessFailed<Answer>(asked: PromiseLike<Answer>, signal: AbortSignal): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    throw signal.aborted ? error : failureOf(error);
  }
}

const policyCodes = new Set(['moderation_blocked', 'content_policy_violation', 'content_filter']);

/** The class of a failure, by the vendor's documented errors. */
function failureOf(error: unknown): unknown {
  // A failed connection has no status. Unless nothing was sent, the call may have been carried out.
  if (error instanceof APIConnectionError)
    return neverSent(error) ? capacityFrom() : refusalOf('outcome_unknown');
  // The answer breaks off in the middle, or is not JSON.
  if (!(error instanceof APIError)) return refusalOf('outcome_unknown');
  const { code, param, headers } = error;
  const status: unknown = error.status;
  if (policyCodes.has(code ?? '')) return refusalOf('policy');
  if (status === 429) {
    return code === 'insufficient_quota'
      ? refusalOf('misconfigured')
      : capacityFrom(headers?.get('retry-after'));
  }
  if (status === 400 || status === 413 || status === 415 || status === 422) {
    return /^(?:image|prompt|mask)/.test(param ?? '') || status === 413
      ? refusalOf('bad_input')
      : refusalOf('misconfigured');
  }
  if (status === 401 || status === 403 || status === 404) return refusalOf('misconfigured');
  // A gateway that gave up waiting does not know the outcome of the call.
  if (status === 408 || status === 504) return refusalOf('outcome_unknown');
  if (typeof status === 'number' && status >= 500) return capacityFrom(headers?.get('retry-after'));
  return error;
}
