import type { AboutPersons } from '../data-subject.js';
import type { KeptFor } from '../kept-for.js';
import type { AnswersFor, EventFamily } from '../event-family.js';

/**
 * One picture that a job made. Its bytes are in object storage under `storageKey`; URLs are presigned on read.
 */
export interface JobArtifact {
  assetId: string;
  storageKey: string;
  contentType: string;
  width: number;
  height: number;
  sha256: string;
  /** Its subject, for example `on_model_render`, `model_portrait`, `garment_cutout`. */
  kind: string;
  role: 'intermediate' | 'final';
  label: string;
  meta: Record<string, unknown>;
  /** When it was erased, ISO 8601; only in rows. */
  erasedAt?: string;
}

/** The origin of a result, so that it can be explained later. */
export interface Provenance {
  engine: string;
  model: string;
  seed: number;
  attempt: number;
  renderMs: number;
  /** SHA-256 of each input picture, in the engine's order. */
  inputHashes: string[];
  /** The vendors' ids of the calls. */
  vendorRequestIds?: string[];
}

/**
 * Why a job ended without a result: the caller's, the engine's or the operator's fault. Shown as `error.code`.
 */
export const jobFailureCodes = [
  'ENGINE_REJECTED_INPUT',
  'ENGINE_POLICY',
  'ENGINE_NO_IMAGE',
  'ENGINE_CAPACITY',
  'ENGINE_OUTCOME_UNKNOWN',
  'ENGINE_MISCONFIGURED',
  'ATTEMPTS_EXHAUSTED',
  /** For the parent of a batch: none of its photographs gave a result. */
  'ALL_PARTS_FAILED',
] as const;

export type JobFailureCode = (typeof jobFailureCodes)[number];

/** The codes that a batch shows for its photographs: failures, and the ends by a caller or the sweep. */
export const shownFailureCodes = [...jobFailureCodes, 'CANCELLED', 'NEVER_QUEUED'] as const;

/** One call of a vendor, recorded before it is made. */
export interface EngineCall {
  /** Unique in the job: the step and the number of the call, for example `try_on.1`. */
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

/** How a call ended. Each value except `answered` is a class of failure. */
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
  /** The number of paid units: pictures or readings. */
  units: number;
  /** In `currency`. An unknown outcome counts as paid. */
  price: number;
  currency: string;
  /** The stored answer, so that the call need not be made again. */
  kept?: { pictures: { storageKey: string; sha256: string }[]; reading?: unknown };
}

/** A picture that a job needs, in the state when the job was queued, and the persons whom it shows. */
export interface JobInputImage extends AboutPersons {
  /** The workflow's name for it, for example `product_image`. */
  name: string;
  assetId: string;
  storageKey: string;
  sha256: string;
  /** Facts beside its pixels: a preset's spec, or the `meta` from the job that made it. */
  meta?: Record<string, unknown>;
}

/** One part of a job that failed although the job as a whole succeeded. */
export interface JobFailurePart {
  /** For example `person`, or a photograph of a batch: `photos[2]`. */
  arm: string;
  /** Stable, UPPER_SNAKE. */
  code: string;
  message: string;
}

/** The forced outcome of a test key's job, see `X-Atelier-Test-Outcome`. */
export type TestOutcome = 'policy' | 'no_image' | 'capacity_then_success' | 'timeout' | 'partial' | 'crash';

/**
 * Tenant, charge, workflow and parent of a job that has ended, copied from its JobQueued. A reader of the end
 * therefore needs no other event. Events from before these fields existed lack all of them.
 */
export interface EndedJob {
  tenant?: string;
  chargeId?: string | null;
  operation?: string;
  parentJobId?: string | null;
}

/** The Idempotency-Key and body of an accepted dispatch, so that the log alone can recognise a repeat. */
export interface AcceptedKey {
  /** SHA-256 of endpoint and key. */
  keyHash: string;
  /** SHA-256 of the validated body. */
  bodyHash: string;
}

/** The stored events of `{env}.job-{job}`. Timeline `seq` = stream revision + 1. */
export type JobEvent =
  | {
      type: 'JobQueued';
      data: {
        jobId: string;
        tenant: string;
        requestId: string;
        /** Null for the parent of a batch: each photograph has its own job and charge. */
        chargeId: string | null;
        operation: string;
        /** UPPER_SNAKE, for example `MODEL_GENERATOR`. */
        jobType: string;
        creditsCost: number;
        displayName: string;
        /** The validated request body, in the caller's own field names. */
        request: Record<string, unknown>;
        inputs: JobInputImage[];
        /** Always set: by the caller, or at random at dispatch. A retry thus draws the same picture. */
        seed: number;
        parentJobId: string | null;
        /** The jobs of a batch's photographs, in order; absent for a job that is not a parent. */
        childJobIds?: string[];
        /** Which photograph of its parent's batch this is, from 0. */
        childIndex?: number;
        testOutcome?: TestOutcome;
        /**
         * The id of the image model, chosen at dispatch. Absent in older events: then the body names it, or it
         * is the first.
         */
        imageModel?: string;
        /** The worker waits for a remote model, which uses none of its cores. */
        remote?: boolean;
        /**
         * The Idempotency-Key of the dispatch. Absent without one, in a batch's photographs, and in older
         * events.
         */
        idempotency?: AcceptedKey;
        /**
         * What allows the use of each person's pictures, in the order of `dataSubjects`; null: nothing was asked
         * for that person. A capability names it. Absent: for no person.
         */
        permits?: (string | null)[];
        at: string;
        /** The persons whom the body names, and those of its pictures; and for how long it is kept. */
      } & AboutPersons &
        KeptFor;
    }
  | { type: 'RenderStarted'; data: { attempt: number; worker: string; at: string } }
  /** A call of a vendor is about to be made, and may cost money from here on. Internal, like the next two. */
  | { type: 'EngineCalled'; data: EngineCall & { tenant: string; operation: string; at: string } }
  /** The vendor's id for the call, by which any worker can find the call again. */
  | { type: 'EngineSubmitted'; data: { call: string; vendorRequestId: string; at: string } }
  /**
   * The outcome and cost of the call. May come after the job's end: a cancelled call can cost money as well.
   */
  | { type: 'EngineAnswered'; data: EngineAnswer & { call: string; at: string } }
  | {
      type: 'StageCompleted';
      data: {
        stage: string;
        message: string;
        artifacts: JobArtifact[];
        /** In a batch's grouping: common parts of several photographs that could not be extracted. */
        failures?: JobFailurePart[];
        at: string;
      };
    }
  | {
      type: 'JobSucceeded';
      data: {
        message: string;
        artifacts: JobArtifact[];
        /** The parts that failed; empty if none did, absent if the job has no parts. */
        failures?: JobFailurePart[];
        /** Null for the parent of a batch, whose end is not a render. */
        provenance: Provenance | null;
        at: string;
      } & EndedJob;
    }
  | {
      type: 'JobFailed';
      data: { code: JobFailureCode; message: string; attempt: number; at: string } & EndedJob;
    }
  | { type: 'JobCancelled'; data: { reason: string; at: string } & EndedJob }
  | { type: 'JobVoided'; data: { chargeId: string; reason: 'orphaned'; tenant: string; at: string } }
  /** After the end: these of its pictures were erased, and all words of the job as well if `words`. Internal. */
  | {
      type: 'JobErased';
      data: {
        jobId: string;
        tenant: string;
        erasureId: string;
        assetIds: string[];
        words: boolean;
        /** Of the pictures that stay while the words go: the descriptions of these are among the words. */
        describedAssetIds?: string[];
        at: string;
      };
    };

const personalOfArtifact: AnswersFor<JobArtifact> = {
  assetId: false,
  storageKey: false,
  contentType: false,
  sha256: true,
  kind: false,
  label: true,
  meta: true,
  erasedAt: false,
};

// A message may quote the vendor's words about a picture.
const personalOfFailure: AnswersFor<JobFailurePart> = { arm: false, code: false, message: true };

const personalOfEnd: AnswersFor<EndedJob> = {
  tenant: false,
  chargeId: false,
  operation: false,
  parentJobId: false,
};

export const jobFamily: EventFamily<'job', JobEvent> = {
  category: 'job',
  owner: 'tenant',
  ownKeys: true,
  idFields: { JobQueued: 'jobId', JobErased: 'jobId' },
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
    JobErased: [],
  },
  personal: {
    JobQueued: {
      jobId: false,
      tenant: false,
      requestId: false,
      chargeId: false,
      operation: false,
      jobType: false,
      displayName: true,
      request: true,
      inputs: {
        name: false,
        assetId: false,
        storageKey: false,
        sha256: true,
        meta: true,
        dataSubjects: true,
      },
      parentJobId: false,
      childJobIds: false,
      imageModel: false,
      // The body's hash would confirm a guess of the body.
      idempotency: { keyHash: false, bodyHash: true },
      permits: false,
      dataSubjects: true,
    },
    RenderStarted: { worker: false },
    EngineCalled: {
      call: false,
      step: false,
      model: false,
      vendor: false,
      idempotencyKey: false,
      tenant: false,
      operation: false,
    },
    EngineSubmitted: { call: false, vendorRequestId: false },
    EngineAnswered: {
      call: false,
      vendorRequestId: false,
      currency: false,
      kept: { pictures: { storageKey: false, sha256: true }, reading: true },
    },
    StageCompleted: {
      stage: false,
      message: true,
      artifacts: personalOfArtifact,
      failures: personalOfFailure,
    },
    JobSucceeded: {
      message: true,
      artifacts: personalOfArtifact,
      failures: personalOfFailure,
      provenance: { engine: false, model: false, inputHashes: true, vendorRequestIds: false },
      ...personalOfEnd,
    },
    JobFailed: { message: true, ...personalOfEnd },
    JobCancelled: { reason: true, ...personalOfEnd },
    JobVoided: { chargeId: false, tenant: false },
    JobErased: {
      jobId: false,
      tenant: false,
      erasureId: false,
      assetIds: false,
      describedAssetIds: false,
    },
  },
};
