import type { EngineErrorClass } from '@atelier/engine';
import type { ImageVendor, VendorModel } from '@atelier/vendors';
import type { JobFailureCode } from '#domain/job/job.events.js';
import type { ImageModel } from '#platform/image-models.js';
import { workflows } from '#workflows/workflows.js';
import type { Turn, VendorDouble } from './vendor-double.js';

/** Turns of the vendor; how the job ends; the number of calls that the vendor took in; the price on record. */
export type Row = readonly [
  turns: readonly Turn[],
  ends: JobFailureCode | 'SUCCESS',
  submissions: number,
  paid: number,
  more?: Partial<ImageModel>,
];

/**
 * A vendor's answer to the requests of a path: status, body, the class of the error, and headers. The header
 * `retry-after` gives the time to wait.
 */
export type Saying = readonly [
  path: RegExp,
  status: number,
  body: unknown,
  errorClass: EngineErrorClass,
  headers?: Record<string, string>,
];

/** The number of submissions for a job whose worker died, and how the job ended. */
export type Ends = readonly [submissions: number, end: 'JobSucceeded' | 'JobFailed'];

/**
 * A family at the socket, and its expected answers. Each declared family has a file of its name in
 * `../families`.
 */
export interface TestedFamily {
  open(): VendorDouble;
  vendor(model: VendorModel): ImageVendor;
  /** Facts of the model that each row's try-on names. */
  readonly model: Partial<ImageModel> & Partial<VendorModel>;
  /** The workflows that the family serves, by the models that they need. */
  readonly serves: readonly (readonly [model: Partial<ImageModel>, workflows: readonly string[]])[];
  /** The text of a check that finds all in order. */
  readonly says: RegExp;
  readonly rows: readonly Row[];
  /** The same rows as the family's table in docs/engines.md. */
  readonly failures: readonly Saying[];
  /** How a job ends if its worker dies at that point of the call. */
  readonly points: Readonly<Record<string, Ends>>;
  /** Only for a vendor that finds a call again, and whose double has a gate. */
  readonly wayBack?: {
    /** Whether the vendor got the request to cancel the call. */
    told(double: VendorDouble): boolean;
    /** Whether a call that already runs is stopped, and costs nothing. */
    readonly stopsRunning: boolean;
  };
}

export const everyWorkflow = workflows.map(({ name }) => name);

/** Options of a vendor that is polled. */
export const quick = { poll_ms: 20 };

/** All families judge a delivered picture alike. */
export const deliveries: readonly Row[] = [
  [['nothing', 'nothing'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['garbage', 'garbage'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['format', 'format'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['blank', 'blank'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['nothing', 'fine'], 'SUCCESS', 2, 0.08],
];

export const answersAtOnce: readonly Row[] = [
  [['policy'], 'ENGINE_POLICY', 1, 0],
  [['bad_input'], 'ENGINE_REJECTED_INPUT', 1, 0],
  [['key'], 'ENGINE_MISCONFIGURED', 1, 0],
  [['quota'], 'ENGINE_MISCONFIGURED', 1, 0],
  [['cut'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['lost'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['torn'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['hang'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['busy', 'fine'], 'SUCCESS', 2, 0.04],
  [['broken', 'fine'], 'SUCCESS', 2, 0.04],
  [['echo', 'echo'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['cut', 'fine'], 'SUCCESS', 2, 0.08, { resend_unknown: true }],
  [['lost', 'torn'], 'ENGINE_OUTCOME_UNKNOWN', 2, 0.08, { resend_unknown: true }],
  ...deliveries,
];

/** For vendors that refuse a call when it is submitted, or when it runs. */
export const answersLater: readonly Row[] = [
  [['policy'], 'ENGINE_POLICY', 1, 0],
  [['bad_input'], 'ENGINE_REJECTED_INPUT', 1, 0],
  [['key'], 'ENGINE_MISCONFIGURED', 0, 0],
  [['quota'], 'ENGINE_MISCONFIGURED', 0, 0],
  [['cut'], 'ENGINE_OUTCOME_UNKNOWN', 0, 0.04],
  [['lost'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['torn'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['hang'], 'ENGINE_OUTCOME_UNKNOWN', 0, 0.04],
  [['busy', 'fine'], 'SUCCESS', 1, 0.04],
  [['broken', 'fine'], 'SUCCESS', 1, 0.04],
  ...deliveries,
];

const once: Ends = [1, 'JobSucceeded'];
/** It cannot be known whether a recorded call was made. */
const perhaps: Ends = [0, 'JobFailed'];
const lost: Ends = [1, 'JobFailed'];

const shared: Readonly<Record<string, Ends>> = {
  'after RenderStarted': once,
  'before EngineCalled': once,
  'after EngineCalled': perhaps,
  'before submission': perhaps,
  'after submission': lost,
  'after EngineAnswered': once,
  'before picture kept': once,
  'after picture kept': once,
  'before JobSucceeded': once,
  'after JobSucceeded': once,
};

/** There is no way back to a call: a call without a recorded answer is lost. */
export const lostWithTheWorker: Readonly<Record<string, Ends>> = {
  ...shared,
  'before answer kept': lost,
  'after answer kept': lost,
  'before EngineAnswered': lost,
};

/** Calls are found again by the id that the vendor gave them. */
export const foundAgain: Readonly<Record<string, Ends>> = {
  ...shared,
  'before EngineSubmitted': lost,
  'after EngineSubmitted': once,
  'before status': once,
  'after status': once,
  'before result': once,
  'after result': once,
  'before answer kept': once,
  'after answer kept': once,
  'before EngineAnswered': once,
};

/** Calls are found again by an id of ours, even if it is unknown whether they arrived. */
export const foundAlways: Readonly<Record<string, Ends>> = Object.fromEntries(
  Object.keys(foundAgain).map((point) => [point, once]),
);
