import type { StreamCategory } from '#domain/streams.js';
import type { EventFamily } from '#domain/event-family.js';

/**
 * A thing to erase, by its id. A render has the id of its job. Retention alone erases a single `picture` of a job, and the
 * `words` of a job without its pictures. A record about a person belongs to another capability, and the category of its
 * stream tells which.
 */
export type ErasureTarget =
  | { kind: 'upload' | 'render' | 'job' | 'product' | 'picture' | 'words'; id: string }
  | { kind: 'record'; category: StreamCategory; id: string };

/**
 * The steps of an erasure, in their order. `refused`: every reader refuses the things. `bytes`: their objects are removed
 * from the storage. `rows`: tables beside the read models are emptied of their words. `keys`: the keys of their words are
 * destroyed. `vendors`: a worker is told to have vendors delete what they got; only if there is a vendor that does.
 */
export const erasureSteps = ['refused', 'bytes', 'rows', 'keys', 'vendors'] as const;

export type ErasureStep = (typeof erasureSteps)[number];

/** The stored events of `{env}.erasure-{erasure}`. They name things by id, and hold no words. */
export type ErasureEvent =
  | {
      type: 'ErasureRequested';
      data: {
        erasureId: string;
        tenant: string;
        targets: ErasureTarget[];
        /** Whether the pictures and jobs that were made from the targets are erased as well. */
        derived: boolean;
        /** Who ordered it: `key:{id}`, or an operator. */
        by: string;
        /** The log was restored from before this erasure, which is now done again. */
        again: boolean;
        at: string;
      };
    }
  | { type: 'ErasureStepped'; data: { step: ErasureStep; counts: Record<string, number>; at: string } }
  | {
      type: 'ErasureCompleted';
      data: {
        /** JSON, byte for byte as it was signed. */
        receipt: string;
        /** The public half of the key that signed; null: the projector has no key. */
        key: string | null;
        signature: string | null;
        at: string;
      };
    }
  /** The vendors' answers to requests to delete calls of the jobs. It comes after the receipt. */
  | { type: 'ErasureVendorsAnswered'; data: { deleted: number; refused: number; at: string } };

export const erasureFamily: EventFamily<'erasure', ErasureEvent> = {
  category: 'erasure',
  owner: 'tenant',
  idFields: { ErasureRequested: 'erasureId' },
  upcasters: {
    ErasureRequested: [],
    ErasureStepped: [],
    ErasureCompleted: [],
    ErasureVendorsAnswered: [],
  },
  personal: {
    ErasureRequested: { erasureId: false, tenant: false, targets: { id: false }, by: false },
    ErasureStepped: { counts: false },
    ErasureCompleted: { receipt: false, key: false, signature: false },
    ErasureVendorsAnswered: {},
  },
};
