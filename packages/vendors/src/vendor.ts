import type { BriefRole, BriefTask } from '@atelier/engine';

/**
 * A model as its engine sees it: the registry's entry, in which the secret replaces the name of its variable.
 */
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
  /** The same each time this call is made. */
  readonly idempotencyKey: string;
  /** Records the vendor's id. Await it before waiting for the vendor's answer. */
  submitted(vendorRequestId: string): Promise<void>;
}

export interface PictureCall extends Call {
  readonly task: BriefTask;
  /** The whole order in words, for models that follow a prompt. */
  readonly prompt: string;
  /** The ordered size in pixels. The result is checked against it. */
  readonly size: { readonly width: number; readonly height: number };
  /** The nearest ratio that the model draws, such as `4:5`. */
  readonly ratio: string;
  readonly transparent: boolean;
  readonly count: number;
  readonly quality: 'medium' | 'high' | undefined;
  /** 32 bits, unsigned: vendors refuse negative seeds. */
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
 * Calls one vendor. It makes each call once, because the service knows the cost and decides about retries.
 * Every failure is an EngineError. The class `outcome_unknown` means that the call may have been carried out.
 */
export interface ImageVendor {
  draw(call: PictureCall): Promise<VendorPictures>;
  /**
   * Our own id for a call, if the vendor accepts one. With it, a recorded call can be found even if it may
   * never have arrived.
   */
  idOf?(idempotencyKey: string): string;
  /**
   * Continues a submitted call, which a dead process may have made. Absent if the vendor cannot find calls
   * again.
   */
  resume?(vendorRequestId: string, call: PictureCall): Promise<VendorPictures>;
  /** Tells the vendor that the call is no longer wanted. @returns whether it then costs nothing */
  cancel?(vendorRequestId: string): Promise<boolean>;
  /**
   * Deletes what the vendor keeps of a call. May be repeated, and a call that the vendor does not know counts as
   * deleted. Absent if the vendor has no such request.
   * @throws EngineError `misconfigured` if the key may not delete
   */
  erase?(vendorRequestId: string, signal: AbortSignal): Promise<void>;
  /** Absent if there is no vision model. */
  read?(call: ReadingCall): Promise<VendorReading>;
  /**
   * Makes a check that costs nothing.
   * @returns a line for people to read
   * @throws EngineError
   */
  check(signal: AbortSignal): Promise<string>;
}
