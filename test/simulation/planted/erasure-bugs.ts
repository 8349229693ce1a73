import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import type { Extents } from '#capabilities/erasure/extent.js';
import type { HoldsInForce } from '#capabilities/erasure/keeping/holds-in-force.js';
import type { RefuseThings } from '#capabilities/erasure/refuse-things.js';
import { releaseKeeper } from '#capabilities/releases/release-keeper.follows.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import type { Wiring } from '../wiring.js';
import { withoutType } from './process-bugs.js';

/** The same object, with other methods. */
function withMethods<Part extends object>(part: Part, change: Partial<Part>): Part {
  return Object.assign(Object.create(part) as Part, change);
}

const idle: HousekeepingTask = { tend: () => Promise.resolve() };

export const erasureBugs = {
  /** The pictures are refused, and their bytes stay. */
  'erased-bytes-stay': {
    erasedStorage: (storage) =>
      withMethods<ObjectStorage>(storage, {
        erase: (prefix) => (prefix.endsWith('.') ? Promise.resolve(1) : storage.erase(prefix)),
      }),
  },

  /** The keys of words are counted as destroyed, and are not. */
  'erased-words-stay': {
    words: (words) =>
      withMethods(words, {
        eraseWords: (streams) => Promise.resolve({ erased: streams.length, underTenantKey: 0, plain: 0 }),
      }),
  },

  /** The photographs of a batch are not refused with it. */
  'photographs-not-erased': {
    refusals: (refusals) =>
      withMethods<RefuseThings>(refusals, {
        refuse: (context, erasureId, things) =>
          refusals.refuse(context, erasureId, { ...things, jobs: things.jobs.slice(0, 1) }),
      }),
  },

  /** All that was made from a picture is erased with it, asked or not. */
  'derived-unasked': {
    extents: (extents) =>
      withMethods<Extents>(extents, { of: (owner, asked) => extents.of(owner, { ...asked, derived: true }) }),
  },

  /** An order does not ask for holds. */
  'holds-not-asked': {
    holds: (holds) => withMethods<HoldsInForce>(holds, { covering: () => Promise.resolve(undefined) }),
  },

  /** What is kept for its days is kept for ever. */
  'days-never-over': { expiry: () => idle },

  /** Expiry believes rows that show events which the log has lost. */
  'lost-rows-believed': { comparesRowsWithLog: false },

  /** A restored log is not compared with the records of erasures. */
  'erasures-stay-lost': { afterRestore: () => Promise.resolve() },

  /** Every dispatch about a person is allowed. */
  'releases-not-asked': { releaseCheck: () => ({ check: () => Promise.resolve({ kind: 'allowed' }) }) },

  /** Jobs under a release that was withdrawn go on. */
  'withdrawals-not-heard': withoutType(releaseKeeper, 'ModelReleaseWithdrawn'),
} satisfies Record<string, Partial<Wiring>>;
