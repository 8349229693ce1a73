import * as money from './planted/money-bugs.js';
import * as processes from './planted/process-bugs.js';
import * as restores from './planted/restore-bugs.js';
import * as stores from './planted/store-bugs.js';
import * as webhooks from './planted/webhook-bugs.js';
import { sound, type Wiring } from './wiring.js';

/** The planted bugs, by the name that `--bug` takes. */
export const bugs = {
  'sweep-without-fence': money.sweepWithoutFence,
  'sweep-ignores-horizon': processes.sweepIgnoresHorizon,
  'refund-without-open-check': money.refundWithoutOpenCheck,
  'refund-of-todays-price': money.refundOfTodaysPrice,
  'old-price': money.oldPrice,
  'schedule-forgotten': money.scheduleForgotten,
  'schedule-too-early': money.scheduleTooEarly,
  'settle-on-failed': processes.settleOnFailed,
  'queue-before-debit': money.queueBeforeDebit,
  'answer-before-queue': stores.answerBeforeQueue,
  'price-without-guard': stores.priceWithoutGuard,
  'charge-without-its-job': stores.chargeWithoutItsJob,
  'digest-of-what-is-there': stores.digestOfWhatIsThere,
  'parent-charged-too': money.parentChargedToo,
  'cancel-without-event': money.cancelWithoutEvent,
  'refund-of-a-lost-cancel': money.refundOfALostCancel,
  'foreign-cancel': money.foreignCancel,
  'any-revision-on-accounts': stores.anyRevisionOnAccounts,
  'conflict-without-decision': stores.conflictWithoutDecision,
  'fresh-ids-after-unknown': stores.freshIdsAfterUnknown,
  'stale-snapshot': stores.staleSnapshot,
  'snapshots-believed': stores.snapshotsBelieved,
  'keys-forgotten': stores.keysForgotten,
  'ids-not-fixed-by-key': stores.idsNotFixedByKey,
  'resume-without-fence': money.resumeWithoutFence,
  'zombie-worker': stores.zombieWorker,
  'attempts-forgotten': stores.attemptsForgotten,
  'render-before-record': stores.renderBeforeRecord,
  'checkpoint-before-effect': processes.checkpointBeforeEffect,
  'errors-passed-over': processes.errorsPassedOver,
  'cancels-not-heard': processes.cancelsNotHeard,
  'batches-not-begun': processes.batchesNotBegun,
  'queue-loses-the-last': processes.queueLosesTheLast,
  'checkpoints-without-epoch': processes.checkpointsWithoutEpoch,
  'rows-before-checkpoint': processes.rowsBeforeCheckpoint,
  'projection-skips': processes.projectionSkips,
  'projection-doubles': processes.projectionDoubles,
  'tasks-stay-lost': restores.tasksStayLost,
  'photographs-stay-lost': restores.photographsStayLost,
  'only-photographs-come-back': restores.onlyPhotographsComeBack,
  'position-believed': restores.positionBelieved,
  'mismatch-passed-over': restores.mismatchPassedOver,
  'anchor-of-the-first': restores.anchorOfTheFirst,
  'log-not-watched': restores.logNotWatched,
  'reset-keeps-rows': restores.resetKeepsRows,
  'lost-answer-believed': restores.lostAnswerBelieved,
  'settlements-stay-lost': restores.settlementsStayLost,
  'reset-keeps-process-managers': restores.resetKeepsProcessManagers,
  'webhooks-of-anybody': webhooks.webhooksOfAnybody,
  'webhooks-skip': webhooks.webhooksSkip,
  'webhooks-again': webhooks.webhooksAgain,
  'webhook-id-of-attempt': webhooks.webhookIdOfAttempt,
  'refused-counts-as-delivered': webhooks.refusedCountsAsDelivered,
  'deliveries-stay-lost': webhooks.deliveriesStayLost,
} as const satisfies Readonly<Record<string, Partial<Wiring>>>;

export type BugName = keyof typeof bugs;

/** @throws RangeError for a name that is not in the list */
export function wiringOf(name: string): Wiring {
  if (!Object.hasOwn(bugs, name))
    throw new RangeError(`there is no planted bug ${name}; there are: ${Object.keys(bugs).join(', ')}`);
  return { ...sound, ...bugs[name as BugName] };
}
