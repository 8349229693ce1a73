import type { Brief } from './brief.js';
import type { ArmName, ArtifactKind, PartFailureCode, PictureMeta, StageName } from './vocabulary.js';

export * from './brief.js';
export * from './own-pictures.js';
export * from './vocabulary.js';

/**
 * The port of all engines. Only the sandbox draws from the body, as a {@link RenderRequest}. Every other engine
 * declares that it takes a {@link BriefedRequest} and sees nothing else.
 */
export abstract class ImageEngine {
  abstract readonly name: string;
  /**
   * Renders one request. Honours `signal` within a second by rejecting with its reason.
   * @throws EngineError for everything that goes wrong with the request or the vendor
   */
  abstract render(request: EngineRequest, context: EngineContext): Promise<RenderResult>;
}

export type EngineRequest = RenderRequest & BriefedRequest;

/** A model's entry in an installation's registry, as far as an engine needs it. */
export interface EngineModel {
  /** The callers' name for it; it belongs into the result. */
  readonly id: string;
  /** The vendor's name for it, or the id if there is none. */
  readonly model: string;
  readonly endpoint?: string | undefined;
  /** The value of the variable that the registry names. */
  readonly secret?: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The default export of a package that is an engine: called once in each worker, before its first picture. */
export type MakeEngine = (model: EngineModel) => ImageEngine | Promise<ImageEngine>;

/** The request for an engine that knows no workflows. */
export interface BriefedRequest {
  /** Made on demand: the sandbox does not use it. */
  brief(): Brief;
  /** The pictures that the brief's steps refer to. */
  readonly inputs: readonly EngineImage[];
  readonly seed: number;
  readonly displayName: string;
  /** A visible mark is put on pictures of the test environment. */
  readonly testMark: boolean;
}

/** One workflow's way to make pictures. `Body` holds the fields of the body that it draws from. */
export type Renderer<Body> = (request: RenderRequest<Body>, context: RenderContext) => Promise<RenderResult>;

/**
 * A renderer for every workflow, by name. Declare an engine's table as `satisfies Renderers<…>` of the
 * workflows' bodies: then the compiler refuses a missing renderer, and a renderer that expects a different body
 * than its workflow has.
 */
export type Renderers<Bodies> = { readonly [Workflow in keyof Bodies]: Renderer<Bodies[Workflow]> };

export interface RenderRequest<Body = Readonly<Record<string, unknown>>> {
  /** The workflow's kebab-case name. */
  readonly workflow: string;
  /** The validated body, with the caller's own field names. Fields that the caller left out are absent. */
  readonly body: Body;
  readonly inputs: readonly EngineImage[];
  readonly seed: number;
  readonly displayName: string;
  /** A visible mark is drawn into pictures of the test environment. */
  readonly testMark: boolean;
}

export interface EngineImage {
  /** The workflow's name for it, for example `product_image`. */
  readonly name: string;
  readonly bytes: Buffer;
  /** The known facts about it: a preset's spec, or the `meta` that a workflow gave its picture. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The facts about a kind of garment that affect a picture. */
export interface GarmentKind {
  /** The id by which bodies, and the `meta` of pictures, name it. */
  readonly publicId: string;
  /** Canonical, snake case. */
  readonly key: string;
  readonly displayLabel: string;
  readonly slot: 'top' | 'bottom' | 'one_piece' | 'outerwear' | 'footwear' | 'bag' | 'headwear' | 'accessory';
  /** From the skin outward; `none` if it is not layered cloth. */
  readonly layer: 'base' | 'mid' | 'outer' | 'none';
  /** The name of its drawing; each kind has one. */
  readonly silhouette: string;
}

export interface RenderContext {
  readonly signal: AbortSignal;
  /** Undefined for an id that names no kind of garment. */
  readonly garmentKind: (publicId: string) => GarmentKind | undefined;
  /** Call it after each stage but the last, in order, and await it. */
  onStage(stage: EngineStage): Promise<void>;
}

/** The context of an engine that calls vendors. */
export interface EngineContext extends RenderContext {
  readonly calls: VendorCalls;
  /**
   * Aborted once the result is no longer wanted; the engine then tells the vendor. It is not aborted when the
   * worker stops, because other workers take over its calls.
   */
  readonly abandoned: AbortSignal;
}

/**
 * The calls to vendors for this job, recorded before they are made, so that none is paid twice. The next worker
 * that renders the job finds them here.
 */
export interface VendorCalls {
  /** All calls of all attempts, oldest first. */
  readonly known: readonly VendorCallRecord[];
  /**
   * The call is on record once this resolves.
   * @throws when the job has ended or belongs to another worker: then the vendor must not be called
   */
  begin(call: {
    readonly step: string;
    readonly model: string;
    readonly vendor: string;
  }): Promise<VendorCallRecord>;
  /** The vendor's name for the call, on record once it resolves. */
  submitted(call: string, vendorRequestId: string): Promise<void>;
  /** Records the outcome. Pictures are kept, so that the vendor need not be called again. */
  answered(call: string, answer: VendorCallAnswer): Promise<void>;
  /** The stored answer of a call. */
  kept(call: string): Promise<VendorAnswerKept>;
}

export interface VendorCallRecord {
  readonly call: string;
  readonly step: string;
  readonly model: string;
  readonly idempotencyKey: string;
  readonly vendorRequestId?: string;
  readonly outcome?: 'answered' | 'cancelled' | EngineErrorClass;
}

export interface VendorAnswerKept {
  readonly pictures: readonly Buffer[];
  readonly reading?: unknown;
}

export interface VendorCallAnswer extends VendorAnswerKept {
  readonly outcome: 'answered' | 'cancelled' | EngineErrorClass;
  readonly vendorRequestId: string | null;
  readonly latencyMs: number;
  readonly units: number;
  readonly price: number;
  readonly currency: string;
}

export interface EngineStage {
  readonly stage: StageName;
  /** One human-readable line. */
  readonly message: string;
  readonly pictures: readonly EnginePicture[];
}

export interface EnginePicture {
  readonly kind: ArtifactKind;
  readonly label: string;
  readonly bytes: Buffer;
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly width: number;
  readonly height: number;
  readonly meta: PictureMeta;
  /**
   * The source type in the picture's mark. The default is `algorithmicMedia`: drawn by rules. Null stands for a
   * photograph that is shown unchanged.
   */
  readonly digitalSource?: DigitalSource | null;
  /** The bytes that a vendor sent, before they were decoded. They may have Content Credentials, which stay with the picture. */
  readonly original?: Buffer;
}

/** A term of IPTC's vocabulary. */
export type DigitalSource =
  | 'trainedAlgorithmicMedia'
  | 'compositeWithTrainedAlgorithmicMedia'
  | 'compositeSynthetic'
  | 'algorithmicMedia';

/** One part of a request without a result, although the request as a whole has one. */
export interface PartFailure {
  readonly arm: ArmName;
  readonly code: PartFailureCode;
  /** One human-readable line. */
  readonly message: string;
}

export interface RenderResult {
  /** The first one stands for the job in the renders gallery. */
  readonly pictures: readonly EnginePicture[];
  readonly failures?: readonly PartFailure[];
  /** One human-readable line. */
  readonly message: string;
  /** The engine's model, for provenance. */
  readonly model: string;
  /** The vendors' ids of the calls, for provenance. */
  readonly vendorRequestIds?: readonly string[];
}

/**
 * The class of a failure decides the next step. `bad_input`, `policy`: no retry, refund. `no_image`: one retry.
 * `capacity`: backoff, refund when exhausted. `outcome_unknown`: never blindly re-sent. `misconfigured`: no
 * retry, refund, alarm.
 */
export type EngineErrorClass =
  'bad_input' | 'policy' | 'no_image' | 'capacity' | 'outcome_unknown' | 'misconfigured';

export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    readonly errorClass: EngineErrorClass,
    /** The caller sees it: it says what to do and names no vendor secret. */
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}
