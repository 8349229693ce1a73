import type { ScenarioName } from './points/scenarios.js';

/**
 * Every await between authentication and the end of a job's charge that waits for something outside the
 * process: `role:port.operation[:event or stream]@who`. A process may die before or after each of them, and the
 * answer to each append may be lost. `holds` says what must be true then. `docs/crash-points.md` explains the
 * test.
 *
 * The list is compared with the awaits that are passed at run time: an await that is missing here fails the
 * test, and so does an entry that is never passed. An await for something inside the process is not listed: a
 * crash cannot show it.
 */
export interface CrashPoint {
  readonly point: string;
  /** The file that awaits. */
  readonly where: string;
  /**
   * Scenarios that pass the point, each with another meaning. The first one always runs, the others only with
   * `all`.
   */
  readonly during: readonly [ScenarioName, ...ScenarioName[]];
  readonly holds: string;
}

type Entry = readonly [name: string, during: CrashPoint['during'], holds: string];

/** Points of a role that one file awaits. */
function at(role: 'api' | 'worker' | 'projector', where: string, entries: readonly Entry[]): CrashPoint[] {
  const who = where.split('/').at(-1)!.replace(/\.ts$/, '');
  return entries.map(([name, during, holds]) => {
    const point = name.includes('@') ? `${role}:${name}` : `${role}:${name}@${who}`;
    return { point, where, during, holds };
  });
}

const application = 'libs/application/src';
const nothing = 'nothing has happened yet: the client asks again, or lets it be';
const readOnly = 'only read: the job goes on without whoever asked';
const charged = 'the charge names the job: a retry with the key goes on, else the sweep fences and refunds';
const answeredLater = 'the job is there: it is rendered and settled, whether its client hears of it or not';
const redelivered =
  'the checkpoint has not moved: the events come again, and what was done is not done twice';
const shortcut = 'a snapshot is a shortcut: without it the account is folded from further back';
const erased = 'every step may be repeated: the erasure begins again, and what was done is found done';
const tended = 'the next round of housekeeping finds the same, and goes on from there';
const attempt = 'the task is fetched again: another attempt, and the late one is refused by the revision';

export const crashPoints: readonly CrashPoint[] = [
  ...at('api', `${application}/account/account-writer.ts`, [
    ['snapshots.load', ['single'], nothing],
    ['snapshots.save', ['snapshot'], shortcut],
    ['event-store.read:account', ['single', 'resumed-charged'], nothing],
    ['event-store.append:CreditsDebited', ['single', 'keyed', 'batch', 'resumed-uncharged'], charged],
    [
      'event-store.append:JobQueued',
      ['single', 'keyed'],
      `the charge and its job are one append: before, ${nothing}; after, ${answeredLater}`,
    ],
    [
      'event-store.append:CreditsRefunded',
      ['cancelled', 'cancelled-batch'],
      'JobCancelled stands: the charge closer refunds, once',
    ],
  ]),
  ...at('api', `${application}/dispatch/dispatch-workflow.handler.ts`, [
    [
      'idempotency.begin',
      ['keyed', 'resumed-charged'],
      'the key holds its ids: the next try goes on with them once the lease is over',
    ],
    [
      'idempotency.reassign',
      ['resumed-uncharged'],
      'the ids before are fenced off; the next try finds that, or the new ids',
    ],
    [
      'idempotency.answer',
      ['keyed', 'batch'],
      'the next try finds the job by its ids and gives the same answer',
    ],
    [
      'idempotency.forget',
      ['unknown-picture'],
      'the lease runs out by itself, and the next try dispatches anew',
    ],
  ]),
  ...at('api', `${application}/operation/operations.ts`, [
    ['event-store.read:operation', ['single'], nothing],
  ]),
  ...at('api', `${application}/picture/stored-pictures.ts`, [
    ['event-store.read:asset', ['single', 'batch'], nothing],
  ]),
  ...at('api', `${application}/dispatch/dispatcher.ts`, [
    [
      'event-store.read:job',
      ['resumed-charged', 'batch', 'resumed-uncharged'],
      'the ids of the key say what was done before',
    ],
    [
      'event-store.append:JobQueued',
      ['batch', 'resumed-charged'],
      `before: ${charged}; after: ${answeredLater}`,
    ],
    [
      'event-store.append:JobVoided',
      ['resumed-uncharged'],
      'the fence stands or not; the next try fences again, or finds it',
    ],
  ]),
  ...at('api', `${application}/job/cancel-job.handler.ts`, [
    [
      'event-store.read:job',
      ['cancelled', 'cancelled-batch'],
      'nothing is cancelled yet: the client asks again',
    ],
    [
      'event-store.append:JobCancelled',
      ['cancelled', 'cancelled-batch'],
      'cancelled or not; if so, the process managers refund and cancel the rest',
    ],
  ]),
  ...at('api', 'libs/adapters/src/stored-jobs.ts', [
    ['event-store.read:job', ['cancelled', 'cancelled-batch'], 'the cancel stands; asked again, it is a 409'],
  ]),
  ...at('api', `${application}/job/job-watch.ts`, [
    ['event-store.read:job', ['waiting'], readOnly],
    ['event-store.subscription', ['waiting'], readOnly],
  ]),
  ...at('api', `${application}/job/job-queries.ts`, [
    ['event-store.head', ['waiting'], readOnly],
    ['jobs.find', ['waiting'], readOnly],
    ['jobs.children', ['waiting'], readOnly],
  ]),
  ...at('api', `${application}/consistency/read-your-writes.ts`, [
    ['read-store.waitFor', ['waiting'], readOnly],
  ]),
  ...at('api', 'apps/api/src/dispatch/dispatch.controller.ts', [
    ['http.answer@dispatch', ['single', 'keyed', 'batch'], answeredLater],
  ]),
  ...at('api', 'apps/api/src/jobs/jobs.controller.ts', [
    ['http.answer@cancel', ['cancelled'], 'the cancel stands; asked again, it is a 409'],
  ]),

  ...at('api', 'capabilities/mcp/offers.ts', [
    ['event-store.read:spend', ['agreed'], nothing],
    ['event-store.append:SpendOffered', ['agreed'], 'an offer without a known answer ends by the clock'],
    [
      'event-store.append:SpendAgreed',
      ['agreed'],
      'agreed to once; ordered again, the offer goes on from there',
    ],
    [
      'event-store.append:SpendOrdered',
      ['agreed'],
      'the key of the offer finds its job; ordered again, the offer records it',
    ],
  ]),

  ...at('projector', `${application}/process-managers/render-dispatcher.ts`, [
    ['event-store.subscription', ['single', 'batch'], redelivered],
    ['event-store.read:job', ['batch'], redelivered],
    ['queue.turns', ['single'], redelivered],
    ['queue.insert', ['single', 'batch'], 'task and checkpoint commit together or not at all'],
    ['process.move-checkpoint', ['single', 'batch'], 'task and checkpoint commit together or not at all'],
    ['queue.enqueue', ['single', 'batch'], 'task and checkpoint commit together or not at all'],
  ]),
  ...at('projector', `${application}/process-managers/charge-closer.ts`, [
    ['event-store.subscription', ['single', 'failing'], redelivered],
    [
      'process.move-checkpoint',
      ['failing', 'single', 'batch'],
      'the charge is closed: closing it again does nothing',
    ],
  ]),
  ...at('projector', `${application}/account/account-writer.ts`, [
    ['snapshots.load', ['single', 'orphan'], redelivered],
    ['snapshots.save', ['settled-snapshot'], shortcut],
    ['event-store.read:account', ['single', 'orphan'], redelivered],
    [
      'event-store.append:CreditsSettled',
      ['single', 'batch'],
      'settled once: the same command makes the same event',
    ],
    [
      'event-store.append:CreditsRefunded',
      ['failing', 'orphan', 'forgotten-cancel', 'abandoned-cancel'],
      'refunded once: the same command makes the same event',
    ],
  ]),
  ...at('projector', `${application}/account/account-writer.ts`, [
    [
      'event-store.append:AccountSuspended',
      ['closed'],
      'suspended once: an account that is suspended stays so',
    ],
  ]),
  ...at('projector', `${application}/process-managers/batch-parents.ts`, [
    ['event-store.subscription', ['batch', 'abandoned-cancel'], redelivered],
    ['event-store.read:job', ['batch', 'abandoned-batch'], redelivered],
    ['event-store.append:JobQueued', ['abandoned-batch'], 'each photograph has one job, whoever queues it'],
    ['event-store.append:JobSucceeded', ['batch'], 'the parent ends once'],
    [
      'event-store.append:JobCancelled',
      ['abandoned-cancel'],
      'the rest of the batch is cancelled by the next delivery',
    ],
    ['process.move-checkpoint', ['batch', 'abandoned-cancel'], 'what is done already is left as it is'],
  ]),
  ...at('projector', 'capabilities/webhooks/webhook-dispatcher.ts', [
    ['event-store.subscription', ['single', 'batch'], redelivered],
    ['event-store.read:webhook', ['single'], redelivered],
    [
      'process.move-checkpoint',
      ['single', 'batch'],
      'deliveries have ids of their events: handled again, they are there already',
    ],
  ]),
  ...at('projector', 'capabilities/buckets/push-dispatcher.ts', [
    ['event-store.subscription', ['single', 'batch'], redelivered],
    ['process.move-checkpoint', ['single', 'batch'], 'a push that is there already begins anew: same keys'],
  ]),
  ...at('projector', 'capabilities/buckets/manage-buckets.ts', [
    ['event-store.read:bucket', ['single', 'batch'], redelivered],
  ]),
  ...at('projector', 'capabilities/releases/release-keeper.ts', [
    ['event-store.subscription', ['single', 'batch'], redelivered],
    ['process.move-checkpoint', ['single', 'batch'], 'a job that is stopped already is left as it is'],
  ]),
  ...at('projector', `${application}/process-managers/orphan-sweep.ts`, [
    ['event-store.read:job', ['late-debit'], 'the next sweep finds the charge as well'],
    ['ledger.openChargesOlderThan', ['orphan'], 'the next sweep finds the charge as well'],
    [
      'event-store.append:JobVoided',
      ['orphan'],
      'the fence stands or not; the next sweep fences again and then refunds',
    ],
  ]),
  ...at('projector', 'libs/read-store/src/projection-runner.ts', [
    [
      'event-store.subscription@projections',
      ['single', 'batch'],
      'the rows are folded again from the checkpoint',
    ],
  ]),
  ...at('projector', 'libs/read-store/src/projection-session.ts', [
    ['projections.load-rows', ['single'], 'the rows are folded again from the checkpoint'],
  ]),
  ...at('projector', 'libs/read-store/src/commit-queue.ts', [
    ['transaction.begin', ['single'], redelivered],
    [
      'transaction.commit',
      ['single', 'batch'],
      'rows, task and checkpoints are there or none of them: the job is enqueued once',
    ],
  ]),
  ...at('projector', 'libs/read-store/src/stream-continuity.ts', [
    ['projections.load-revisions', ['forgotten-cancel'], 'the rows are folded again from the checkpoint'],
  ]),

  ...at('api', `${application}/erasure/erasable-things.ts`, [
    ['event-store.read:asset', ['erased'], nothing],
    ['event-store.read:job', ['erased-at-work'], nothing],
  ]),
  ...at('api', 'capabilities/erasure/request-erasure.ts', [
    [
      'idempotency.begin',
      ['erased'],
      'the key holds the id of the erasure: the next try requests the same one',
    ],
    ['idempotency.answer', ['erased'], 'the next try writes the same request, which is there, and answers'],
  ]),
  ...at('api', 'capabilities/erasure/keeping/holds-in-force.ts', [
    ['event-store.read:hold', ['erased'], nothing],
  ]),
  ...at('api', 'capabilities/erasure/manage-erasures.handler.ts', [
    ['event-store.read:erasure', ['erased'], nothing],
    [
      'event-store.append:ErasureRequested',
      ['erased', 'erased-at-work'],
      'requested once under the id of the key: the projector carries it out, answered or not',
    ],
  ]),
  ...at('api', 'capabilities/releases/releases.controller.ts', [
    ['event-store.read:release', ['withdrawn'], nothing],
    [
      'event-store.append:ModelReleaseWithdrawn',
      ['withdrawn'],
      'withdrawn or not; withdrawn again, it stays as it is',
    ],
  ]),
  ...at('api', 'capabilities/releases/known-releases.ts', [
    ['event-store.subscription', ['withdrawn'], 'the next process reads all releases when it starts'],
  ]),

  ...at('projector', 'capabilities/erasure/erasure-process.ts', [
    ['event-store.subscription@erasures', ['erased', 'expired'], redelivered],
    ['storage.erase', ['erased', 'erased-at-work', 'closed'], erased],
    ['words.eraseWords', ['erased', 'expired', 'closed'], erased],
    ['event-store.read:asset', ['erased'], erased],
    ['event-store.read:job', ['erased'], erased],
    [
      'process.move-checkpoint@erasures',
      ['erased', 'expired'],
      'the erasure is completed: it is left as it is',
    ],
  ]),
  ...at('projector', 'capabilities/erasure/manage-erasures.handler.ts', [
    ['event-store.read:erasure', ['erased', 'expired'], erased],
    ['event-store.append:ErasureRequested', ['expired', 'closed'], 'two rounds give the order the same id'],
    [
      'event-store.append:ErasureStepped',
      ['erased', 'erased-at-work', 'expired', 'closed'],
      'each step once',
    ],
    [
      'event-store.append:ErasureCompleted',
      ['erased', 'erased-at-work', 'expired', 'closed'],
      'completed once',
    ],
  ]),
  ...at('projector', `${application}/erasure/erasable-things.ts`, [
    ['event-store.read:asset', ['erased'], erased],
    ['event-store.read:job', ['erased'], erased],
  ]),
  ...at('projector', 'capabilities/erasure/kept-erasures.ts', [
    [
      'storage.create',
      ['erased', 'expired'],
      'the record is written once, and has what the first try has found',
    ],
  ]),
  ...at('projector', 'capabilities/erasure/refuse-things.ts', [
    ['event-store.read:asset', ['erased'], erased],
    ['event-store.read:job', ['erased'], erased],
    ['event-store.append:JobCancelled', ['erased-at-work'], 'cancelled once, and refunded once'],
    ['event-store.append:PictureErased', ['erased', 'expired', 'closed'], 'an erased picture stays erased'],
    ['event-store.append:JobErased', ['erased', 'erased-at-work', 'closed'], 'an erased job stays erased'],
  ]),
  ...at('projector', 'capabilities/erasure/keeping/holds-in-force.ts', [
    ['event-store.read:hold', ['expired', 'closed'], tended],
  ]),
  ...at('projector', 'capabilities/erasure/closing/closings.handler.ts', [
    ['event-store.read:closing', ['closed'], tended],
  ]),
  ...at('projector', 'capabilities/erasure/closing/close-tenants.ts', [
    ['event-store.append:TenantClosingBegun', ['closed'], tended],
    ['event-store.append:ApiKeyRevoked', ['closed'], tended],
    ['words.eraseTenant', ['closed'], 'the keys are destroyed again, and then the tenant is closed'],
    ['event-store.append:TenantClosed', ['closed'], 'closed once'],
  ]),
  ...at('projector', 'capabilities/erasure/closing/kept-closings.ts', [
    ['storage.create', ['closed'], 'the record is written before anything is erased, and once'],
  ]),
  ...at('projector', 'capabilities/releases/stop-waiting-job.ts', [
    ['event-store.read:job', ['withdrawn'], redelivered],
    ['event-store.append:JobCancelled', ['withdrawn'], 'cancelled once, and refunded once'],
  ]),
  ...at('projector', 'capabilities/releases/known-releases.ts', [
    ['event-store.subscription', ['withdrawn'], 'the next process reads all releases when it starts'],
  ]),

  ...at('worker', 'libs/render-queue/src/pg-boss-render-queue.ts', [
    ['queue.fetch@pg-boss', ['single', 'batch'], 'the task is fetched again when the heartbeat is missed'],
    [
      'queue.complete@pg-boss',
      ['single', 'failing', 'batch'],
      'fetched again, the job is found ended, and left',
    ],
    ['queue.fail@pg-boss', ['retried'], attempt],
    ['queue.delay@pg-boss', ['retried'], attempt],
  ]),
  ...at('worker', `${application}/render/cancellations.ts`, [
    [
      'event-store.subscription',
      ['cancelled', 'abandoned-cancel'],
      'whoever fetches the task finds the job cancelled',
    ],
  ]),
  ...at('worker', `${application}/render/job-renderer.ts`, [
    ['event-store.read:job', ['single', 'batch'], attempt],
  ]),
  ...at('worker', `${application}/render/render-inputs.ts`, [['storage.get', ['single', 'batch'], attempt]]),
  ...at('worker', `${application}/render/job-attempt.ts`, [
    ['event-store.append:RenderStarted', ['single', 'retried', 'batch'], attempt],
    ['event-store.append:StageCompleted', ['single', 'batch'], attempt],
    [
      'event-store.append:JobSucceeded',
      ['single', 'batch'],
      `before: ${attempt}; after: the job has ended, once`,
    ],
    [
      'event-store.append:JobFailed',
      ['failing'],
      `before: ${attempt}; after: the job has ended, and is refunded once`,
    ],
    ['event-store.read:job', ['cancelled'], 'the attempt is lost: somebody else has written'],
    ['storage.put', ['single', 'batch'], 'no event names bytes that are not there'],
    ['event-store.append:AssetStored', ['single', 'batch'], 'no event names bytes that are not there'],
  ]),
  ...at('worker', `${application}/render/engine-run.ts`, [
    ['engine.render', ['single', 'retried', 'cancelled', 'batch'], attempt],
  ]),
];
