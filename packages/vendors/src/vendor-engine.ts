import sharp from 'sharp';
import {
  EngineError,
  ImageEngine,
  wordsOf,
  type BriefArtifact,
  type BriefedRequest,
  type BriefSource,
  type BriefStep,
  type DigitalSource,
  type EngineContext,
  type EnginePicture,
  type EngineErrorClass,
  type PartFailure,
  type PartFailureCode,
  type PictureOrder,
  type ReadingOrder,
  type RenderResult,
  type VendorAnswerKept,
  type VendorCallRecord,
} from '@atelier/engine';
import { delivered, orderedFormat } from '@atelier/engine/delivered';
import { farewellMs } from './failures.js';
import type { ImageVendor, PictureCall, VendorImage, VendorModel } from './vendor.js';

export * from './vendor.js';

/** The results of a brief so far. */
interface Progress {
  readonly pictures: EnginePicture[];
  readonly failures: PartFailure[];
  /** The result of each step, for the steps that start from it. */
  readonly made: Map<string, Buffer>;
  readonly vendorRequestIds: string[];
}

/**
 * These failures concern only their arm: if it is optional, the other arms go on. Any other failure is the
 * vendor's and stops all of them.
 */
const ofTheArm: Partial<Record<EngineErrorClass, PartFailureCode>> = {
  bad_input: 'ENGINE_BAD_INPUT',
  policy: 'ENGINE_POLICY',
  no_image: 'ENGINE_NO_IMAGE',
};

/**
 * Makes the pictures of a brief with a vendor's model. Each call is recorded before it is made, and the next
 * worker that renders the job finds it:
 *
 * - answered: the kept result is used.
 * - submitted, and the vendor can find it again: the worker waits for it. If the vendor accepts our own ids of
 *   calls, the worker also looks for a call that may never have arrived.
 * - made, but with an unknown outcome: the call counts as paid. It is repeated, once, only if the operator
 *   allows paying twice.
 */
export class VendorEngine extends ImageEngine {
  readonly name: string;

  constructor(
    private readonly model: VendorModel,
    private readonly vendor: ImageVendor,
    /** Draws the mark of the test environment for a picture of this size, as SVG. */
    private readonly testMark: (width: number, height: number) => string,
  ) {
    super();
    this.name = model.family;
  }

  async render(request: BriefedRequest, context: EngineContext): Promise<RenderResult> {
    context.signal.throwIfAborted();
    const progress: Progress = { pictures: [], failures: [], made: new Map(), vendorRequestIds: [] };
    const steps = [...request.brief().steps];
    for (let step = steps.shift(); step; step = steps.shift()) {
      steps.unshift(...(await this.take(step, progress, request, context)));
      context.signal.throwIfAborted();
    }
    const { pictures, failures, vendorRequestIds } = progress;
    const missing = failures.map(({ arm }) => arm).join(', ');
    const message = missing
      ? `Made, without: ${missing}`
      : pictures.length === 1
        ? 'The picture is made'
        : 'The pictures are made';
    return { pictures, failures, message, model: this.model.id, vendorRequestIds };
  }

  /**
   * Carries out one step.
   * @returns the steps that follow from its answer
   */
  private async take(
    step: BriefStep,
    progress: Progress,
    request: BriefedRequest,
    context: EngineContext,
  ): Promise<readonly BriefStep[]> {
    try {
      switch (step.kind) {
        case 'picture':
          await this.picture(step, progress, request, context);
          return [];
        case 'reading':
          return await this.reading(step, progress, request, context);
        case 'kept':
          progress.pictures.push(await this.keep(step.source, step.gives, progress, request));
          return [];
        case 'missing':
          progress.failures.push({ arm: step.name, code: step.code, message: step.message });
          return [];
        default:
          return step satisfies never;
      }
    } catch (error) {
      const optional = 'optional' in step && step.optional;
      const code = error instanceof EngineError ? ofTheArm[error.errorClass] : undefined;
      if (!optional || !(error instanceof EngineError) || code === undefined) throw error;
      progress.failures.push({ arm: step.name, code, message: error.message });
      return [];
    }
  }

  private async picture(
    order: PictureOrder,
    progress: Progress,
    request: BriefedRequest,
    context: EngineContext,
  ): Promise<void> {
    const inputs = order.inputs.map(({ source }) => bytesOf(source, progress, request));
    const call = await this.callFor(order, inputs, request.seed);
    const mark = request.testMark ? Buffer.from(this.testMark(call.size.width, call.size.height)) : undefined;
    const source: DigitalSource =
      inputs.length > 0 ? 'compositeWithTrainedAlgorithmicMedia' : 'trainedAlgorithmicMedia';
    const check = async (original: Buffer) => ({
      ...(await delivered(original, inputs, { ...call, mark })),
      original,
    });
    const pictures = await this.once(order.name, progress, context, {
      units: order.count,
      price: this.model.price_per_picture,
      make: async (asked) => this.vendor.draw({ ...call, ...asked }),
      resume: async (id, asked) => this.vendor.resume?.(id, { ...call, ...asked }),
      accept: async ({ pictures: sent }) => {
        if (sent.length === 0) throw new EngineError('no_image', 'The image model sent no picture.');
        return Promise.all(sent.slice(0, order.count).map((bytes) => check(bytes)));
      },
    });
    for (const picture of pictures) {
      progress.made.set(order.name, picture.bytes);
      const meta = { ...order.gives.meta, provenance: { model: this.model.id, digital_source_type: source } };
      const { kind, label } = order.gives;
      const shown: EnginePicture = { ...picture, kind, label, meta, digitalSource: source };
      if (order.gives.role === 'final') progress.pictures.push(shown);
      else await context.onStage({ stage: order.gives.stage, message: order.gives.label, pictures: [shown] });
    }
  }

  private async callFor(
    order: PictureOrder,
    inputs: readonly Buffer[],
    seed: number,
  ): Promise<Omit<PictureCall, 'signal' | 'idempotencyKey' | 'submitted'>> {
    const { first, images } = await sendable(inputs, order);
    const { size, ratio } = orderedFormat(order, first, this.model.aspect_ratios);
    const { task, count, quality } = order;
    const transparent = order.transparent && this.model.transparent;
    const prompt = wordsOf(transparent === order.transparent ? order : onWhite(order));
    return { images, task, prompt, size, ratio, transparent, count, quality, seed: seed >>> 0 };
  }

  private async reading(
    order: ReadingOrder,
    progress: Progress,
    request: BriefedRequest,
    context: EngineContext,
  ): Promise<readonly BriefStep[]> {
    const { vendor } = this;
    if (!vendor.read || !this.model.vision_model) return order.otherwise;
    const inputs = order.inputs.map(({ source }) => bytesOf(source, progress, request));
    const { images } = await sendable(inputs, order);
    const { question, schema } = order;
    return this.once(order.name, progress, context, {
      units: 1,
      price: this.model.price_per_reading,
      make: async (asked) => {
        const read = await vendor.read?.({ images, question, schema, ...asked });
        return { pictures: [], reading: read?.reading, vendorRequestId: read?.vendorRequestId ?? null };
      },
      resume: async () => undefined,
      accept: async ({ reading }) => {
        if (typeof reading === 'object' && reading !== null) return order.then(reading);
        throw new EngineError('no_image', 'The vision model gave no answer that can be read.');
      },
    });
  }

  private async keep(
    source: BriefSource,
    gives: BriefArtifact,
    progress: Progress,
    request: BriefedRequest,
  ): Promise<EnginePicture> {
    const sheet = sharp(bytesOf(source, progress, request)).resize(1024, 1024, {
      fit: 'inside',
      withoutEnlargement: true,
    });
    const { data, info } = await sheet
      .flatten({ background: '#ffffff' })
      .jpeg()
      .toBuffer({ resolveWithObject: true });
    const { kind, label, meta } = gives;
    return {
      kind,
      label,
      meta,
      bytes: data,
      contentType: 'image/jpeg',
      width: info.width,
      height: info.height,
      digitalSource: null,
    };
  }

  /** Makes the call of a step once, also when an earlier worker has begun it. */
  private async once<Result>(
    step: string,
    progress: Progress,
    context: EngineContext,
    way: Way<Result>,
  ): Promise<Result> {
    const earlier = context.calls.known.filter((call) => call.step === step);
    const answered = earlier.findLast(({ outcome }) => outcome === 'answered');
    if (answered) {
      if (answered.vendorRequestId) progress.vendorRequestIds.push(answered.vendorRequestId);
      return way.accept(await context.calls.kept(answered.call));
    }
    const open = earlier.find(({ outcome }) => outcome === undefined);
    if (open) {
      const named = open.vendorRequestId ?? this.vendor.idOf?.(open.idempotencyKey);
      if (named !== undefined && this.vendor.resume) return this.make(open, named, progress, context, way);
      await context.calls.answered(open.call, this.answerOf('outcome_unknown', open, way, 0, []));
    }
    const lost = context.calls.known.filter((call) => call.step === step && isLost(call.outcome)).length;
    if (lost > (this.model.resend_unknown ? 1 : 0)) throw lostCall();
    const begun = await context.calls.begin({ step, model: this.model.id, vendor: this.model.family });
    try {
      return await this.make(begun, undefined, progress, context, way);
    } catch (error) {
      const unknown = error instanceof EngineError && error.errorClass === 'outcome_unknown';
      if (!unknown || !this.model.resend_unknown || lost > 0) throw error;
      return this.once(step, progress, context, way);
    }
  }

  /** Makes the call, or waits for one that is under way, and records its outcome. */
  private async make<Result>(
    record: VendorCallRecord,
    vendorRequestId: string | undefined,
    progress: Progress,
    context: EngineContext,
    way: Way<Result>,
  ): Promise<Result> {
    const startedAt = performance.now();
    const tooLong = AbortSignal.timeout(this.model.timeout_seconds * 1000);
    const asked = {
      signal: AbortSignal.any([context.signal, tooLong]),
      idempotencyKey: record.idempotencyKey,
      submitted: async (id: string) => {
        vendorRequestId = id;
        await context.calls.submitted(record.call, id);
      },
    };
    const tell = (outcome: Outcome, kept?: VendorAnswerKept) =>
      context.calls.answered(record.call, {
        ...this.answerOf(
          outcome,
          { ...record, ...(vendorRequestId && { vendorRequestId }) },
          way,
          startedAt,
          kept?.pictures ?? [],
        ),
        reading: kept?.reading,
      });
    try {
      const made =
        (vendorRequestId === undefined ? undefined : await way.resume(vendorRequestId, asked)) ??
        (await way.make(asked));
      vendorRequestId ??= made.vendorRequestId ?? undefined;
      const result = await way.accept(made);
      await tell('answered', made);
      if (vendorRequestId !== undefined) progress.vendorRequestIds.push(vendorRequestId);
      return result;
    } catch (error) {
      const failure = tooLong.aborted && !context.signal.aborted ? tookTooLong(error) : error;
      const known = vendorRequestId ?? this.vendor.idOf?.(record.idempotencyKey);
      if (failure instanceof EngineError && !context.signal.aborted) {
        const unknown = failure.errorClass === 'outcome_unknown';
        await (unknown && tooLong.aborted ? this.abandon(known, tell) : tell(failure.errorClass));
        throw failure;
      }
      // If the job has just ended, that news may take a moment to arrive.
      if (!context.signal.aborted) await heardWithin(context.abandoned, newsMs);
      // A stopping worker leaves the call to the next worker. A call whose job is cancelled or out of time is
      // abandoned, because no worker waits for it.
      if (context.abandoned.aborted) await this.abandon(known, tell);
      throw failure;
    }
  }

  private async abandon(
    vendorRequestId: string | undefined,
    tell: (outcome: Outcome) => Promise<void>,
  ): Promise<void> {
    const cancelling =
      vendorRequestId === undefined ? undefined : this.vendor.cancel?.(vendorRequestId).catch(() => false);
    const free = await Promise.race([
      cancelling,
      new Promise<false>((done) => setTimeout(done, farewellMs, false).unref()),
    ]);
    // The cost of a call is recorded even if its job has ended meanwhile.
    await tell(free ? 'cancelled' : 'outcome_unknown').catch(() => undefined);
  }

  private answerOf(
    outcome: Outcome,
    { vendorRequestId = null }: { readonly vendorRequestId?: string | null },
    { units, price }: Pick<Way<unknown>, 'units' | 'price'>,
    startedAt: number,
    pictures: readonly Buffer[],
  ) {
    const paid = paidFor.has(outcome) ? units : 0;
    const latencyMs = startedAt === 0 ? 0 : Math.round(performance.now() - startedAt);
    return {
      outcome,
      vendorRequestId,
      latencyMs,
      units: paid,
      price: paid * price,
      currency: this.model.currency,
      pictures,
    };
  }
}

const newsMs = 1_000;

async function heardWithin(signal: AbortSignal, ms: number): Promise<void> {
  if (signal.aborted) return;
  await new Promise((done) => {
    signal.addEventListener('abort', done, { once: true });
    setTimeout(done, ms).unref();
  });
}

type Outcome = VendorCallRecord['outcome'] & string;

/** A call that may have been paid counts as paid. So does a call with a useless picture. */
const paidFor: ReadonlySet<Outcome> = new Set<Outcome>(['answered', 'no_image', 'outcome_unknown']);

/** A call that was given up because it took too long counts as one with an unknown outcome. */
const isLost = (outcome: Outcome | undefined): boolean =>
  outcome === 'outcome_unknown' || outcome === 'cancelled';

interface Made extends VendorAnswerKept {
  readonly vendorRequestId: string | null;
}

type Asked = Pick<PictureCall, 'signal' | 'idempotencyKey' | 'submitted'>;

/** How the call of a step is made. */
interface Way<Result> {
  readonly units: number;
  /** Per unit. */
  readonly price: number;
  make(asked: Asked): Promise<Made>;
  resume(vendorRequestId: string, asked: Asked): Promise<Made | undefined>;
  /** @throws EngineError if the answer does not match the order */
  accept(made: VendorAnswerKept): Promise<Result>;
}

function lostCall(): EngineError {
  const message = 'The image model was asked, and its answer was lost. Your credits were refunded.';
  return new EngineError('outcome_unknown', message);
}

function tookTooLong(error: unknown): unknown {
  if (error instanceof EngineError && error.errorClass !== 'outcome_unknown') return error;
  return new EngineError('outcome_unknown', 'The image model took too long. Your credits were refunded.');
}

function bytesOf(source: BriefSource, { made }: Progress, { inputs }: BriefedRequest): Buffer {
  const [name, bytes] =
    'step' in source
      ? [source.step, made.get(source.step)]
      : [source.input, inputs.find((input) => input.name === source.input)?.bytes];
  if (bytes) return bytes;
  throw new EngineError('bad_input', `${name} is missing.`);
}

/**
 * Longest side of a picture that is sent. A larger one costs time and money, and models do not see that much
 * detail.
 */
const longestSent = 2048;

/** Makes pictures upright, removes their metadata, and converts them to a format that every vendor takes. */
async function sendable(inputs: readonly Buffer[], { inputs: parts }: Pick<PictureOrder, 'inputs'>) {
  const images: VendorImage[] = [];
  let first = 1;
  for (const [index, bytes] of inputs.entries()) {
    const name = `image ${index + 1}`;
    const { data, info } = await sharp(bytes, { failOn: 'error' })
      .autoOrient()
      .resize(longestSent, longestSent, { fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 3 })
      .toBuffer({ resolveWithObject: true })
      .catch(() => {
        throw new EngineError(
          'bad_input',
          `${name} cannot be read. Send a complete JPEG, PNG or WebP picture.`,
        );
      });
    if (index === 0) first = info.width / info.height;
    images.push({ bytes: data, contentType: 'image/png', role: parts[index]?.role ?? 'photograph' });
  }
  return { first, images };
}

/** A cut-out for a model that cannot draw transparency. */
function onWhite(order: PictureOrder): PictureOrder {
  const instruction = `${order.instruction} Set it on a plain, pure white background.`;
  return { ...order, instruction, transparent: false };
}
