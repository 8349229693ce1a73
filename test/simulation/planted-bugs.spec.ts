import { bugs, type BugName } from './planted-bugs.js';
import { search } from './search.js';

/** The first seed that found each bug when it was recorded. */
const recorded: Record<BugName, number> = {
  'sweep-without-fence': 8,
  'sweep-ignores-horizon': 14,
  'refund-without-open-check': 1,
  'refund-of-todays-price': 1,
  'old-price': 7,
  'settle-on-failed': 1,
  'queue-before-debit': 1,
  'answer-before-queue': 6,
  'price-without-guard': 25,
  'charge-without-its-job': 1,
  'parent-charged-too': 1,
  'cancel-without-event': 3,
  'refund-of-a-lost-cancel': 38,
  'foreign-cancel': 25,
  'any-revision-on-accounts': 3,
  'conflict-without-decision': 3,
  'fresh-ids-after-unknown': 16,
  'stale-snapshot': 4,
  'snapshots-believed': 52,
  'keys-forgotten': 1,
  'ids-not-fixed-by-key': 15,
  'resume-without-fence': 520,
  'zombie-worker': 4,
  'attempts-forgotten': 2,
  'render-before-record': 1,
  'checkpoint-before-effect': 52,
  'errors-passed-over': 57,
  'cancels-not-heard': 3,
  'batches-not-begun': 77,
  'queue-loses-the-last': 137,
  'checkpoints-without-epoch': 8,
  'rows-before-checkpoint': 8,
  'projection-skips': 4,
  'projection-doubles': 4,
  'tasks-stay-lost': 15,
  'photographs-stay-lost': 109,
  'only-photographs-come-back': 15,
  'position-believed': 8,
  'mismatch-passed-over': 8,
  'anchor-of-the-first': 24,
  'log-not-watched': 24,
  'reset-keeps-rows': 2,
  'lost-answer-believed': 283,
  'settlements-stay-lost': 128,
  'reset-keeps-process-managers': 2,
};

/** A change of the code under test changes who gets which turn: a bug is then found some seeds later. */
const seedsToTry = 300;

describe('a planted bug is found', () => {
  it.each(Object.keys(bugs) as BugName[])('%s', async (bug) => {
    const options = { first: recorded[bug], seeds: seedsToTry, bug, shrinks: false };
    const find = await search(options, () => undefined);
    expect(find).toBeDefined();
    // What is found has to be what it does, not that it does not work.
    expect(find?.violation).not.toMatch(/met a defect|ended: /);
  });
});
