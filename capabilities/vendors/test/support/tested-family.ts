import type { EngineErrorClass } from '@atelier/engine';
import type { ImageVendor, VendorModel } from '@atelier/vendors';
import type { JobFailureCode } from '#domain/job/job.events.js';
import type { ImageModel } from '#platform/image-models.js';
import { workflows } from '#workflows/workflows.js';
import type { Turn, VendorDouble } from './vendor-double.js';

/** Turns of the vendor; how the job ends; calls that the vendor took in; what is on record as paid. */
export type Row = readonly [
  turns: readonly Turn[],
  ends: JobFailureCode | 'SUCCESS',
  submissions: number,
  paid: number,
  more?: Partial<ImageModel>,
];

/** What the vendor says; of which class that is; headers, of which `retry-after` says how long to wait. */
export type Saying = readonly [
  path: RegExp,
  status: number,
  body: unknown,
  errorClass: EngineErrorClass,
  headers?: Record<string, string>,
];

/** How often the vendor was asked for a job whose worker died, and how the job ended. */
export type Ends = readonly [submissions: number, end: 'JobSucceeded' | 'JobFailed'];

/** A family at the socket, and how it answers. Each declared family has one in `../families`, in a file with its name. */
export interface TestedFamily {
  open(): VendorDouble;
  vendor(model: VendorModel): ImageVendor;
  /** Of the model that each row asks for a try-on. */
  readonly model: Partial<ImageModel> & Partial<VendorModel>;
  /** What the family serves, by the models that it needs for it. */
  readonly serves: readonly (readonly [model: Partial<ImageModel>, workflows: readonly string[]])[];
  /** What a check says that finds all in order. */
  readonly says: RegExp;
  readonly rows: readonly Row[];
  /** Row for row what docs/engines.md says of the family. */
  readonly failures: readonly Saying[];
  /** How a job ends whose worker dies at a point of its call. */
  readonly points: Readonly<Record<string, Ends>>;
  /** Of a vendor that finds a call again, and whose double has a gate. */
  readonly wayBack?: {
    /** Whether the vendor was told that the call is no longer wanted. */
    told(double: VendorDouble): boolean;
    /** What runs already is stopped, and costs nothing. */
    readonly stopsRunning: boolean;
  };
}

export const everyWorkflow = workflows.map(({ name }) => name);

/** Options of a vendor that is asked again and again. */
export const quick = { poll_ms: 20 };

/** What is delivered is judged alike for all. */
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

/** Refused when it is submitted, or when it runs. */
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
/** Nobody can know whether a call that was on record had been made. */
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

/** There is no way back to a call: one without an answer on record is lost. */
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

/** Calls are found again by an id of ours, also if nobody knows whether they arrived. */
export const foundAlways: Readonly<Record<string, Ends>> = Object.fromEntries(
  Object.keys(foundAgain).map((point) => [point, once]),
);
