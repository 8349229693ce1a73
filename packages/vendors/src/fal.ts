import { setTimeout as sleep } from 'node:timers/promises';
import type { BriefRole, EngineError } from '@atelier/engine';
import { capacityFrom, farewellMs, LostCall, refusalOf, tooManyPictures } from './failures.js';
import { dataUrl, fetchPicture, JsonApi, parsedJson } from './json-api.js';
import type { ImageVendor, PictureCall, VendorModel, VendorPictures } from './vendor.js';

/** The names of the model's inputs, from `options` in the registry. */
interface FalOptions {
  readonly fields?: Readonly<
    Partial<
      Record<'prompt' | 'images' | 'seed' | 'count' | 'aspect_ratio' | 'width' | 'height' | BriefRole, string>
    >
  >;
  /** Added to each request unchanged. */
  readonly also?: Readonly<Record<string, unknown>>;
  readonly poll_ms?: number;
  /** Where deletions are sent if `endpoint` is a gateway. Absent there: none are sent, since the key is the gateway's. */
  readonly platform?: string;
}

/**
 * The JSON of a request is not stored, and its files end after a day: as long as the service keeps a vendor's answer for the
 * next worker. By default the vendor stores JSON for 30 days, and files without end (fal.ai/docs, data retention).
 */
const keptBriefly = {
  'x-fal-store-io': '0',
  'x-fal-object-lifecycle-preference': JSON.stringify({ expiration_duration_seconds: 86_400 }),
};

interface Submitted {
  readonly request_id?: string;
}

interface Deletion {
  readonly cdn_delete_results?: readonly { readonly exception?: string | null }[];
}

/**
 * Any model of fal's queue: submits, polls, fetches. It finds requests again by their id, so no call is made
 * twice. It uses the documented HTTP API, because the vendor's own client has fixed addresses and so cannot go
 * through a gateway.
 */
export class FalVendor implements ImageVendor {
  private readonly api: JsonApi;
  private readonly options: FalOptions;

  constructor(private readonly model: VendorModel) {
    const base = (model.endpoint ?? 'https://queue.fal.run').replace(/\/+$/, '');
    // The vendor must not retry: the caller knows the outcome of the first try and decides about another one.
    const headers = { authorization: `Key ${model.secret ?? ''}`, 'x-fal-no-retry': '1' };
    this.api = new JsonApi(base, headers, failureOf);
    // The options are not checked here: the registry's author names the inputs of the vendor's model, and the
    // vendor refuses wrong names.
    this.options = model.options;
  }

  async draw(call: PictureCall): Promise<VendorPictures> {
    const { said } = await this.api.exchange(
      'POST',
      `/${this.model.model}`,
      call.signal,
      this.inputOf(call),
      keptBriefly,
    );
    const { request_id: id } = said as Submitted;
    if (!id) throw refusalOf('outcome_unknown');
    await call.submitted(id);
    return this.resume(id, call);
  }

  async resume(vendorRequestId: string, { signal }: Pick<PictureCall, 'signal'>): Promise<VendorPictures> {
    const { poll_ms: pollMs = 500 } = this.options;
    for (;;) {
      const status = await this.statusOf(vendorRequestId, signal);
      if (status === 'COMPLETED') break;
      if (status !== 'IN_QUEUE' && status !== 'IN_PROGRESS') throw refusalOf('outcome_unknown');
      await sleep(pollMs, undefined, { signal });
    }
    const result = await this.api.look(this.requestOf(vendorRequestId), signal);
    const pictures = await Promise.all(urlsOf(result).map((url) => fetchPicture(url, signal)));
    return { pictures, vendorRequestId };
  }

  /** A running request is stopped as well, but has to be paid. */
  async cancel(vendorRequestId: string): Promise<boolean> {
    const soon = AbortSignal.timeout(farewellMs / 2);
    const status = await this.statusOf(vendorRequestId, soon).catch(() => undefined);
    const { ok } = await this.api.send('PUT', `${this.requestOf(vendorRequestId)}/cancel`, undefined);
    return ok && status === 'IN_QUEUE';
  }

  /** Needs a key with the scope ADMIN (fal.ai/docs, platform APIs, delete request payloads). */
  async erase(vendorRequestId: string, signal: AbortSignal): Promise<void> {
    const { platform = this.model.endpoint === undefined ? 'https://api.fal.ai/v1' : undefined } =
      this.options;
    if (platform === undefined) throw refusalOf('misconfigured');
    const api = new JsonApi(platform.replace(/\/+$/, ''), this.api.headers, failureOf);
    const path = `/models/requests/${encodeURIComponent(vendorRequestId)}/payloads`;
    const answer = await api.send('DELETE', path, signal).catch(() => {
      throw capacityFrom();
    });
    if (answer.status === 404) return;
    const said = parsedJson(await answer.text().catch(() => ''));
    if (answer.status === 401 || answer.status === 403) throw refusalOf('misconfigured');
    if (answer.status === 400 || answer.status === 422) throw refusalOf('bad_input');
    const { cdn_delete_results: files = [] } = (said ?? {}) as Deletion;
    // A file that could not be deleted is tried again with the rest.
    if (!answer.ok || files.some(({ exception }) => exception)) throw capacityFrom();
  }

  /**
   * The queue only answers questions about requests. The answer about an unknown request shows whether the key
   * is accepted.
   */
  async check(signal: AbortSignal): Promise<string> {
    const nobody = '00000000-0000-0000-0000-000000000000';
    const answer = await this.api.send('GET', `${this.requestOf(nobody)}/status`, signal);
    if (answer.status === 401 || answer.status === 403) throw refusalOf('misconfigured');
    return `${this.model.model} can be reached`;
  }

  private async statusOf(vendorRequestId: string, signal: AbortSignal): Promise<string | undefined> {
    const said = await this.api.look(`${this.requestOf(vendorRequestId)}/status`, signal);
    return (said as { status?: string }).status;
  }

  /**
   * A request's address holds the owner and the application (behind a namespace, if any), but not the rest of
   * the model's name.
   */
  private requestOf(vendorRequestId: string): string {
    const application =
      /^(?:(?:workflows|comfy)\/)?[^/]+\/[^/]+/.exec(this.model.model)?.[0] ?? this.model.model;
    return `/${application}/requests/${vendorRequestId}`;
  }

  private inputOf({ prompt, images, seed, count, ratio, size }: PictureCall): Record<string, unknown> {
    const { fields = { prompt: 'prompt', images: 'image_urls' }, also } = this.options;
    const input: Record<string, unknown> = { ...also };
    const urls = images.map((image) => ({ role: image.role, url: dataUrl(image) }));
    for (const { role, url } of urls) {
      const name = fields[role];
      if (name !== undefined && input[name] === undefined) input[name] = url;
      else if (fields.images === undefined) throw tooManyPictures();
    }
    const values = {
      prompt,
      count,
      aspect_ratio: ratio,
      ...size,
      ...(urls.length > 0 && { images: urls.map(({ url }) => url) }),
      ...(this.model.seed && { seed }),
    };
    for (const [what, value] of Object.entries(values)) {
      const name = fields[what as keyof typeof fields];
      if (name !== undefined) input[name] = value;
    }
    return input;
  }
}

/** The class of a failure, by the vendor's documented errors: `detail[].type` says more than the status. */
function failureOf({ status, headers }: Response, said: unknown, submitting: boolean): EngineError {
  const types = JSON.stringify(said ?? '');
  if (/content_policy_violation|nsfw/i.test(types)) return refusalOf('policy');
  if (/no_media_generated/.test(types)) return refusalOf('no_image');
  if (status === 401 || status === 403) return refusalOf('misconfigured');
  if (status === 404) return submitting ? refusalOf('misconfigured') : new LostCall();
  if (status === 429 || status === 503) return capacityFrom(headers.get('retry-after'));
  if (status === 400 || status === 422) return refusalOf('bad_input');
  if (status === 504 || status < 400) return refusalOf('outcome_unknown');
  // Only a refused submission is certain to have drawn nothing.
  return submitting ? capacityFrom(headers.get('retry-after')) : refusalOf('no_image');
}

/** Models answer with one picture or with several. Each has its address. */
function urlsOf(result: unknown): string[] {
  const { images, image } = (result ?? {}) as { images?: { url?: string }[]; image?: { url?: string } };
  return [...(images ?? []), ...(image ? [image] : [])].flatMap(({ url }) => (url ? [url] : []));
}
