import type { BriefRole, BriefTask } from '@atelier/engine';

/** A model for its engine: the registry's entry, with the secret instead of its variable's name. */
export interface VendorModel {
  /** The installation's name for it. */
  readonly id: string;
  readonly family: string;
  /** The vendor's name for it. */
  readonly model: string;
  readonly endpoint?: string | undefined;
  readonly secret?: string | undefined;
  readonly aspect_ratios?: readonly string[] | undefined;
  /** `W×H` as `1024x1536`; absent: any. */
  readonly sizes?: readonly string[] | undefined;
  readonly supports_quality: boolean;
  readonly transparent: boolean;
  readonly seed: boolean;
  readonly max_inputs: number;
  readonly vision_model?: string | undefined;
  readonly price_per_picture: number;
  readonly price_per_reading: number;
  readonly currency: string;
  readonly timeout_seconds: number;
  readonly resend_unknown: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A picture that goes to a vendor: JPEG, PNG or WebP. */
export interface VendorImage {
  readonly bytes: Buffer;
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/webp';
  readonly role: BriefRole;
}

interface Call {
  readonly images: readonly VendorImage[];
  readonly signal: AbortSignal;
  /** The same each time that this call is made. */
  readonly idempotencyKey: string;
  /** To be awaited before the vendor is waited for. */
  submitted(vendorRequestId: string): Promise<void>;
}

export interface PictureCall extends Call {
  readonly task: BriefTask;
  /** All that is wanted, for models that are steered by language. */
  readonly prompt: string;
  /** Pixels that were ordered; what comes back is held against them. */
  readonly size: { readonly width: number; readonly height: number };
  /** The nearest that the model draws, as `4:5`. */
  readonly ratio: string;
  readonly transparent: boolean;
  readonly count: number;
  readonly quality: 'medium' | 'high' | undefined;
  /** 32 bits, unsigned: vendors refuse a negative one. */
  readonly seed: number;
}

export interface ReadingCall extends Call {
  readonly question: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface VendorPictures {
  readonly pictures: readonly Buffer[];
  readonly vendorRequestId: string | null;
}

export interface VendorReading {
  readonly reading: unknown;
  readonly vendorRequestId: string | null;
}

/**
 * Calls one vendor. It makes each call once: the service, which knows the cost, decides about retries. Every failure is an
 * EngineError; `outcome_unknown` means that the call may have been carried out.
 */
export interface ImageVendor {
  draw(call: PictureCall): Promise<VendorPictures>;
  /** The vendor's name of a call, if it takes one of ours: then also a recorded call that was perhaps never made can be found. */
  idOf?(idempotencyKey: string): string;
  /** Continues a submitted call, perhaps of a dead process. Absent if the vendor cannot find calls again. */
  resume?(vendorRequestId: string, call: PictureCall): Promise<VendorPictures>;
  /** Tells the vendor that the call is no longer wanted. @returns whether it then costs nothing */
  cancel?(vendorRequestId: string): Promise<boolean>;
  /** Absent: there is no vision model. */
  read?(call: ReadingCall): Promise<VendorReading>;
  /** Makes a check that costs nothing. @returns a line for people @throws EngineError */
  check(signal: AbortSignal): Promise<string>;
}
