import type { EventFamily } from '../event-family.js';

/** One picture that a job made. Bytes live in object storage under `storageKey`; URLs are presigned when read. */
export interface JobArtifact {
  assetId: string;
  storageKey: string;
  contentType: string;
  width: number;
  height: number;
  sha256: string;
  /** What it shows, for example `on_model_render`, `model_portrait`, `garment_cutout`. */
  kind: string;
  role: 'intermediate' | 'final';
  label: string;
  meta: Record<string, unknown>;
}

/** Where a result came from, so that it can be explained later. */
export interface Provenance {
  engine: string;
  model: string;
  seed: number;
  attempt: number;
  renderMs: number;
  /** SHA-256 of each input picture, in the order the engine got them. */
  inputHashes: string[];
  /** What vendors call what was asked of them. */
  vendorRequestIds?: string[];
}

/** How far an automatic end is the caller's, the engine's or the operator's doing. Shown as `error.code`. */
export const jobFailureCodes = [
  'ENGINE_REJECTED_INPUT',
  'ENGINE_POLICY',
  'ENGINE_NO_IMAGE',
  'ENGINE_CAPACITY',
  'ENGINE_OUTCOME_UNKNOWN',
  'ENGINE_MISCONFIGURED',
  'ATTEMPTS_EXHAUSTED',
  /** Of the parent of a batch: not one of its photographs gave a result. */
  'ALL_PARTS_FAILED',
] as const;

export type JobFailureCode = (typeof jobFailureCodes)[number];

/** With what ends a job beside a failure: its caller, or the sweep, as a batch tells of a photograph. */
export const shownFailureCodes = [...jobFailureCodes, 'CANCELLED', 'NEVER_QUEUED'] as const;

/** One call of a vendor, as it stands before it is made. */
export interface EngineCall {
  /** Unique in the job: the step and how often it was asked, as `try_on.1`. */
  call: string;
  /** The step of the brief. */
  step: string;
  /** The id of the image model. */
  model: string;
  /** The family of its engine. */
  vendor: string;
  attempt: number;
  /** Ours: the same for every worker that makes this call. */
  idempotencyKey: string;
}

/** How a call ended. What is no answer is a class of failure. */
export type EngineOutcome =
  | 'answered'
  | 'bad_input'
  | 'policy'
  | 'no_image'
  | 'capacity'
  | 'outcome_unknown'
  | 'misconfigured'
  | 'cancelled';

export interface EngineAnswer {
  outcome: EngineOutcome;
  vendorRequestId: string | null;
  latencyMs: number;
  /** What was paid for: pictures, or readings. */
  units: number;
  /** In `currency`. An unknown outcome counts as paid. */
  price: number;
  currency: string;
  /** What came back, so that it need not be asked for again. */
  kept?: { pictures: { storageKey: string; sha256: string }[]; reading?: unknown };
}

/** A picture that a job needs, as it was when the job was queued. */
export interface JobInputImage {
  /** What the workflow calls it, for example `product_image`. */
  name: string;
  assetId: string;
  storageKey: string;
  sha256: string;
  /** What is known about it beside its pixels: a preset's spec, or the `meta` of the job that made it. */
  meta?: Record<string, unknown>;
}

/** One part of a job that gave nothing although the job as a whole succeeded. */
export interface JobFailurePart {
  /** For example `person`, or a photograph of a batch: `photos[2]`. */
  arm: string;
  /** Stable, UPPER_SNAKE. */
  code: string;
  message: string;
}

/** The path that a job of a test key was asked to take, see `X-Atelier-Test-Outcome`. */
export type TestOutcome = 'policy' | 'no_image' | 'capacity_then_success' | 'timeout' | 'partial' | 'crash';

/**
 * Whose job has ended, and what was paid for it, as its JobQueued said: a reader of the end needs no other event.
 * Events that were stored before these fields were there lack all of them.
 */
export interface EndedJob {
  tenant?: string;
  chargeId?: string | null;
  operation?: string;
  parentJobId?: string | null;
}

/** Which Idempotency-Key a dispatch was accepted with, and for which body, so that the log alone can tell a repeat. */
export interface AcceptedKey {
  /** SHA-256 of endpoint and key. */
  keyHash: string;
  /** SHA-256 of the validated body. */
  bodyHash: string;
}

/** The events of `{env}.job-{job}`, as they are stored. Timeline `seq` = stream revision + 1. */
export type JobEvent =
  | {
      type: 'JobQueued';
      data: {
        jobId: string;
        tenant: string;
        requestId: string;
        /** Null for the parent of a batch: its photographs are charged one by one, with their own jobs. */
        chargeId: string | null;
        operation: string;
        /** UPPER_SNAKE, for example `MODEL_GENERATOR`. */
        jobType: string;
        creditsCost: number;
        displayName: string;
        /** The validated request body, in the caller's own field names. */
        request: Record<string, unknown>;
        inputs: JobInputImage[];
        /** Always set: the caller's, or one that was drawn at dispatch, so that a retry draws the same picture. */
        seed: number;
        parentJobId: string | null;
        /** The jobs of a batch's photographs, in their order; absent for a job that is no parent. */
        childJobIds?: string[];
        /** Which photograph of its parent's batch this is, from 0. */
        childIndex?: number;
        testOutcome?: TestOutcome;
        /** The id of the model that draws, chosen at dispatch. Absent in events from before: the body names it, or it is the first. */
        imageModel?: string;
        /** The model is waited for, and takes no core of a worker. */
        remote?: boolean;
        /** What it was dispatched with; absent without an Idempotency-Key, in a batch's photographs, and in events from before. */
        idempotency?: AcceptedKey;
        at: string;
      };
    }
  | { type: 'RenderStarted'; data: { attempt: number; worker: string; at: string } }
  /** A vendor is about to be asked, and may be paid from here on. Internal, like the two that follow it. */
  | { type: 'EngineCalled'; data: EngineCall & { tenant: string; operation: string; at: string } }
  /** The vendor has a name for the call, by which any worker finds it again. */
  | { type: 'EngineSubmitted'; data: { call: string; vendorRequestId: string; at: string } }
  /** What became of the call, and what it cost. May come after the job's end: a cancelled call can cost money as well. */
  | { type: 'EngineAnswered'; data: EngineAnswer & { call: string; at: string } }
  | {
      type: 'StageCompleted';
      data: {
        stage: string;
        message: string;
        artifacts: JobArtifact[];
        /** Of the grouping of a batch: what several photographs share and could not be extracted from them. */
        failures?: JobFailurePart[];
        at: string;
      };
    }
  | {
      type: 'JobSucceeded';
      data: {
        message: string;
        artifacts: JobArtifact[];
        /** What the parts of the job that gave nothing have to say: none, or absent where a job has no parts. */
        failures?: JobFailurePart[];
        /** Null for the parent of a batch, which rendered nothing itself at its end. */
        provenance: Provenance | null;
        at: string;
      } & EndedJob;
    }
  | {
      type: 'JobFailed';
      data: { code: JobFailureCode; message: string; attempt: number; at: string } & EndedJob;
    }
  | { type: 'JobCancelled'; data: { reason: string; at: string } & EndedJob }
  | { type: 'JobVoided'; data: { chargeId: string; reason: 'orphaned'; tenant: string; at: string } };

export const jobFamily: EventFamily<'job', JobEvent> = {
  category: 'job',
  owner: 'tenant',
  idFields: { JobQueued: 'jobId' },
  upcasters: {
    JobQueued: [],
    RenderStarted: [],
    EngineCalled: [],
    EngineSubmitted: [],
    EngineAnswered: [],
    StageCompleted: [],
    JobSucceeded: [],
    JobFailed: [],
    JobCancelled: [],
    JobVoided: [],
  },
};
