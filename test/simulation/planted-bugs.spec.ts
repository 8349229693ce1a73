import { bugs, type BugName } from './planted-bugs.js';
import { search } from './search.js';

/** The first seed that found each bug when it was recorded. */
const recorded: Record<BugName, number> = {
  'sweep-without-fence': 7,
  'sweep-ignores-horizon': 34,
  'refund-without-open-check': 1,
  'refund-of-todays-price': 1,
  'old-price': 8,
  'settle-on-failed': 1,
  'queue-before-debit': 1,
  'answer-before-queue': 8,
  'price-without-guard': 15,
  'charge-without-its-job': 1,
  'parent-charged-too': 1,
  'cancel-without-event': 10,
  'refund-of-a-lost-cancel': 14,
  'foreign-cancel': 2,
  'any-revision-on-accounts': 2,
  'conflict-without-decision': 2,
  'fresh-ids-after-unknown': 18,
  'stale-snapshot': 7,
  'snapshots-believed': 66,
  'snapshot-of-another-account': 55,
  'keys-forgotten': 7,
  'ids-not-fixed-by-key': 75,
  'resume-without-fence': 474,
  'zombie-worker': 10,
  'attempts-forgotten': 1,
  'render-before-record': 1,
  'checkpoint-before-effect': 15,
  'errors-passed-over': 1,
  'cancels-not-heard': 1,
  'batches-not-begun': 25,
  'queue-loses-the-last': 8,
  'checkpoints-without-epoch': 8,
  'rows-before-checkpoint': 8,
  'projection-skips': 4,
  'projection-doubles': 7,
  'tasks-stay-lost': 7,
  'photographs-stay-lost': 116,
  'only-photographs-come-back': 7,
  'position-believed': 8,
  'mismatch-passed-over': 8,
  'anchor-of-the-first': 24,
  'log-not-watched': 6,
  'reset-keeps-rows': 2,
  'reset-keeps-keys': 51,
  'reset-keeps-process-managers': 6,
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
