import { EngineError } from '@atelier/engine';
import { capacityFrom, refusalOf } from './failures.js';
import { dataUrl, JsonApi, parsedJson, patient } from './json-api.js';
import type {
  ImageVendor,
  PictureCall,
  ReadingCall,
  VendorImage,
  VendorModel,
  VendorPictures,
  VendorReading,
} from './vendor.js';

interface ImagesAnswer {
  readonly data?: readonly { readonly b64_json?: string }[] | null;
}

interface ChatAnswer {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string | null; readonly refusal?: string | null };
  }[];
}

interface ErrorBody {
  readonly error?: { readonly code?: string | null; readonly param?: string | null } | null;
}

/**
 * The image models of OpenAI, or of a compatible server at the model's endpoint. A call cannot be found again:
 * its answer comes on its own connection, or never. It uses the documented HTTP API, because of the vendor's own
 * client it would need three calls, and the client weighs 35 MB.
 */
export class OpenAiVendor implements ImageVendor {
  private readonly api: JsonApi;

  constructor(private readonly model: VendorModel) {
    const base = (model.endpoint ?? 'https://api.openai.com/v1').replace(/\/+$/, '');
    // Self-hosted servers need no key, and ignore this one.
    const headers = { authorization: `Bearer ${model.secret ?? 'none'}` };
    this.api = new JsonApi(base, headers, failureOf, patient(model));
  }

  async draw(call: PictureCall): Promise<VendorPictures> {
    const { images, signal, idempotencyKey } = call;
    const order = this.orderOf(call);
    const { said, headers } = await (images.length > 0
      ? this.api.exchange('POST', '/images/edits', signal, formOf(order, images), keyed(idempotencyKey))
      : this.api.exchange('POST', '/images/generations', signal, order, keyed(idempotencyKey)));
    const { data } = (said ?? {}) as ImagesAnswer;
    const pictures = (data ?? []).flatMap(({ b64_json: encoded }) =>
      encoded ? [Buffer.from(encoded, 'base64')] : [],
    );
    return { pictures, vendorRequestId: headers.get('x-request-id') };
  }

  async read({ images, question, schema, signal, idempotencyKey }: ReadingCall): Promise<VendorReading> {
    const pictures = images.map((image) => ({ type: 'image_url', image_url: { url: dataUrl(image) } }));
    const order = {
      model: this.model.vision_model ?? '',
      messages: [{ role: 'user', content: [{ type: 'text', text: question }, ...pictures] }],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    };
    const { said, headers } = await this.api.exchange(
      'POST',
      '/chat/completions',
      signal,
      order,
      keyed(idempotencyKey),
    );
    const { content, refusal } = ((said ?? {}) as ChatAnswer).choices?.[0]?.message ?? {};
    if (refusal)
      throw new EngineError(
        'policy',
        'The vision model refused the photographs. Your credits were refunded.',
      );
    return { reading: parsedJson(content ?? ''), vendorRequestId: headers.get('x-request-id') };
  }

  async check(signal: AbortSignal): Promise<string> {
    const said = await this.api.ask('GET', `/models/${encodeURIComponent(this.model.model)}`, signal);
    return `${(said as { id?: string } | null)?.id ?? this.model.model} is there`;
  }

  private orderOf({ prompt, size, transparent, count, quality, ratio }: PictureCall) {
    return {
      model: this.model.model,
      prompt,
      n: count,
      // A size from the model's list, if it has one.
      size: sizeFor(size, ratio, this.model.sizes),
      ...(quality && this.model.supports_quality && { quality }),
      ...(transparent && this.model.transparent && { background: 'transparent', output_format: 'png' }),
      ...this.model.options,
    };
  }
}

/** Gateways use this header; the vendor ignores it. */
const keyed = (idempotencyKey: string) => ({ 'idempotency-key': idempotencyKey });

/** An order with pictures goes as a form: lists repeat `name[]`, and the fields of an object are `name[field]`. */
function formOf(order: Readonly<Record<string, unknown>>, images: readonly VendorImage[]): FormData {
  const form = new FormData();
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) add(`${name}[]`, each);
    else if (typeof value === 'object' && value !== null)
      for (const [field, each] of Object.entries(value)) add(`${name}[${field}]`, each);
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      form.append(name, String(value));
  };
  for (const [name, value] of Object.entries(order)) add(name, value);
  for (const [index, { bytes, contentType: type }] of images.entries())
    form.append('image[]', new Blob([new Uint8Array(bytes)], { type }), `image-${index + 1}.png`);
  return form;
}

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

const policyCodes = new Set(['moderation_blocked', 'content_policy_violation', 'content_filter']);

/** The class of a failure, by the vendor's documented errors. */
function failureOf({ status, headers }: Response, said: unknown): EngineError {
  const { code, param } = ((said ?? {}) as ErrorBody).error ?? {};
  // The answer breaks off in the middle, or is not JSON.
  if (status < 400) return refusalOf('outcome_unknown');
  if (policyCodes.has(code ?? '')) return refusalOf('policy');
  if (status === 429) {
    return code === 'insufficient_quota'
      ? refusalOf('misconfigured')
      : capacityFrom(headers.get('retry-after'));
  }
  if (status === 413) return refusalOf('bad_input');
  if (status === 400 || status === 415 || status === 422)
    return refusalOf(/^(?:image|prompt|mask)/.test(param ?? '') ? 'bad_input' : 'misconfigured');
  // A gateway that gave up waiting does not know the outcome of the call, nor does one that says that a call with
  // this key is under way.
  if (status === 408 || status === 409 || status === 504) return refusalOf('outcome_unknown');
  if (status >= 500) return capacityFrom(headers.get('retry-after'));
  return refusalOf('misconfigured');
}
