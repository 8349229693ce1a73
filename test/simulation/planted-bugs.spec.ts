import { describe, expect, it } from 'vitest';
import { bugs, type BugName } from './planted-bugs.js';
import { search } from './search.js';

/** The first seed that found each bug when it was recorded. */
const recorded: Record<BugName, number> = {
  'sweep-without-fence': 3,
  'sweep-ignores-horizon': 6,
  'refund-without-open-check': 1,
  'refund-of-todays-price': 1,
  'old-price': 10,
  'schedule-forgotten': 23,
  'schedule-too-early': 2,
  'settle-on-failed': 1,
  'queue-before-debit': 1,
  'answer-before-queue': 2,
  'price-without-guard': 17,
  'charge-without-its-job': 1,
  'digest-of-what-is-there': 16,
  'parent-charged-too': 1,
  'cancel-without-event': 1,
  'refund-of-a-lost-cancel': 7,
  'foreign-cancel': 2,
  'any-revision-on-accounts': 17,
  'conflict-without-decision': 18,
  'fresh-ids-after-unknown': 6,
  'stale-snapshot': 4,
  'snapshots-believed': 149,
  'keys-forgotten': 1,
  'ids-not-fixed-by-key': 20,
  'resume-without-fence': 20,
  'zombie-worker': 7,
  'attempts-forgotten': 1,
  'render-before-record': 1,
  'checkpoint-before-effect': 35,
  'errors-passed-over': 59,
  'cancels-not-heard': 16,
  'batches-not-begun': 52,
  'queue-loses-the-last': 16,
  'checkpoints-without-epoch': 4,
  'rows-before-checkpoint': 1,
  'projection-skips': 1,
  'projection-doubles': 7,
  'tasks-stay-lost': 10,
  'photographs-stay-lost': 46,
  'only-photographs-come-back': 10,
  'position-believed': 4,
  'mismatch-passed-over': 4,
  'anchor-of-the-first': 1,
  'log-not-watched': 19,
  'reset-keeps-rows': 1,
  'lost-answer-believed': 228,
  'settlements-stay-lost': 153,
  'reset-keeps-process-managers': 4,
  'webhooks-of-anybody': 1,
  'webhooks-skip': 3,
  'webhooks-again': 1,
  'webhook-id-of-attempt': 1,
  'refused-counts-as-delivered': 1,
  'deliveries-stay-lost': 4,
};

/** A change of the code under test changes the order of turns, so a bug may be found some seeds later. */
const seedsToTry = 300;

describe('a planted bug is found', () => {
  it.each(Object.keys(bugs) as BugName[])('%s', async (bug) => {
    const options = { first: recorded[bug], seeds: seedsToTry, bug, shrinks: false };
    const find = await search(options, () => undefined);
    expect(find).toBeDefined();
    // The find must be the bug's effect, not a failure to run.
    expect(find?.violation).not.toMatch(/met a defect|ended: /);
  });
});
