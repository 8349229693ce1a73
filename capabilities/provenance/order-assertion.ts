/** The label of our own assertion. */
export const orderLabel = 'atelier.order';

/** Our own assertion. It names no person and no tenant. */
export interface OrderAssertion {
  readonly job: string;
  readonly picture: string;
  readonly workflow: string;
  readonly environment: string;
  readonly engine: string;
  /** Absent in pictures on the way, which engines report before they name their model. */
  readonly model?: string;
  /** SHA-256 in hex. */
  readonly inputs: readonly { readonly name: string; readonly sha256: string }[];
  /** The job's event JobQueued. Its position counts in the log that it was first written to. */
  readonly ordered_by: {
    readonly event: string;
    readonly stream: string;
    readonly revision: number;
    readonly position: string;
  };
  /** The seal that covers that event. Absent if there was none yet. */
  readonly seal?: { readonly number: number; readonly root: string; readonly key: string };
}
