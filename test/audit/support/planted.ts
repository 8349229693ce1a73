import type { CheckName } from '#capabilities/operate/audit/findings.js';
import { at, idOf, Story } from './story.js';

/** A history with a planted error, and the finding that the audit must report for it. */
export interface Planted {
  readonly rule: string;
  readonly story: Story;
  readonly check: CheckName;
  readonly stream: string;
  readonly revision: number;
  readonly expected: unknown;
  readonly found: unknown;
}

export const acme = 'live.account-acme';
/** An account with 100 credits, as most begin. */
export const story = () => new Story().account('acme');
/** The same, with a job that is charged and queued. */
const queued = () => story().debit('acme', 'j').queue('acme', 'j');
/** The same, with its first attempt under way. */
const started = () => queued().start('acme', 'j');

const pictureErased = [
  'asset',
  'a',
  'acme',
  'PictureErased',
  { assetId: 'a', tenant: 'acme', erasureId: 'e' },
] as const;

export const planted: readonly Planted[] = [
  {
    rule: 'a balance below 0',
    story: story().debit('acme', 'j', { amount: 101 }).queue('acme', 'j', { creditsCost: 101 }),
    check: 'balance',
    stream: acme,
    revision: 2,
    expected: '0 or more',
    found: -1,
  },
  {
    rule: 'an amount that is no number of credits',
    story: story().debit('acme', 'j', { amount: 0.5 }).queue('acme', 'j', { creditsCost: 0.5 }),
    check: 'balance',
    stream: acme,
    revision: 2,
    expected: '1 or more',
    found: 0.5,
  },
  {
    rule: 'a debit of a suspended account',
    story: story().tell('account', 'acme', 'acme', 'AccountSuspended', { reason: 'x' }).job('acme', 'j'),
    check: 'accounts',
    stream: acme,
    revision: 3,
    expected: 'active',
    found: 'suspended',
  },
  {
    rule: 'debits beyond the daily cap',
    story: new Story().account('acme', 100, 9).job('acme', 'j').job('acme', 'k'),
    check: 'accounts',
    stream: acme,
    revision: 4,
    expected: 'at most 9 in 24 h',
    found: 10,
  },
  {
    rule: 'an account that opens twice',
    story: story().account('acme'),
    check: 'accounts',
    stream: acme,
    revision: 2,
    expected: 'unopened',
    found: 'active',
  },
  {
    rule: 'a charge that is settled and refunded',
    story: story().job('acme', 'j').refund('acme', 'j'),
    check: 'charges',
    stream: acme,
    revision: 4,
    expected: 'open',
    found: 'settled at revision 3',
  },
  {
    rule: 'a charge that is refunded twice',
    story: story().failedJob('acme', 'j').refund('acme', 'j'),
    check: 'charges',
    stream: acme,
    revision: 4,
    expected: 'open',
    found: 'refunded at revision 3',
  },
  {
    rule: 'a refund of a charge that was never made',
    story: story().refund('acme', 'j'),
    check: 'charges',
    stream: acme,
    revision: 2,
    expected: 'open',
    found: 'never made',
  },
  {
    rule: 'a refund of more than was charged',
    story: started().fail('acme', 'j').refund('acme', 'j', { amount: 6 }),
    check: 'charges',
    stream: acme,
    revision: 3,
    expected: 5,
    found: 6,
  },
  {
    rule: 'a settlement for another job',
    story: started().succeed('acme', 'j').settle('acme', 'j', { jobId: 'k' }),
    check: 'charges',
    stream: acme,
    revision: 3,
    expected: 'j',
    found: 'k',
  },
  {
    rule: 'a charge that is made twice',
    story: story().job('acme', 'j').debit('acme', 'j'),
    check: 'replayed',
    stream: acme,
    revision: 4,
    expected: 'made once',
    found: 'settled at revision 3',
  },
  {
    rule: 'a purchase that is made twice',
    story: story()
      .buy('acme', 5)
      .bend(({ event }) => {
        event.data = { ...(event.data as object), purchaseId: idOf('purchase 1') };
      }),
    check: 'replayed',
    stream: acme,
    revision: 2,
    expected: 'made once',
    found: 'purchase at revision 1',
  },
  {
    rule: 'a job without a charge',
    story: story().queue('acme', 'j'),
    check: 'job-has-charge',
    stream: 'live.job-j',
    revision: 0,
    expected: 'an open charge',
    found: 'no CreditsDebited before',
  },
  {
    rule: 'a job that is queued before it is charged',
    story: story()
      .queue('acme', 'j')
      .debit('acme', 'j')
      .start('acme', 'j')
      .succeed('acme', 'j')
      .settle('acme', 'j'),
    check: 'job-has-charge',
    stream: 'live.job-j',
    revision: 0,
    expected: 'an open charge',
    found: 'no CreditsDebited before',
  },
  {
    rule: 'a job of another price than its charge',
    story: story()
      .debit('acme', 'j', { amount: 4 })
      .queue('acme', 'j')
      .start('acme', 'j')
      .succeed('acme', 'j')
      .settle('acme', 'j', { amount: 4 }),
    check: 'job-has-charge',
    stream: 'live.job-j',
    revision: 0,
    expected: 5,
    found: 4,
  },
  {
    rule: 'a job on the charge of another tenant',
    story: story().account('bold').debit('bold', 'j').queue('acme', 'j'),
    check: 'job-has-charge',
    stream: 'live.job-j',
    revision: 0,
    expected: 'acme',
    found: 'bold',
  },
  {
    rule: 'a job on the charge of another job',
    story: story().debit('acme', 'j').queue('acme', 'k', { chargeId: 'r-j' }),
    check: 'job-has-charge',
    stream: 'live.job-k',
    revision: 0,
    expected: 'this job',
    found: 'another job',
  },
  {
    rule: 'a batch whose children were not charged',
    story: story().queue('acme', 'p', { chargeId: null, creditsCost: 5, childJobIds: ['c'] }),
    check: 'batches',
    stream: 'live.job-p',
    revision: 0,
    expected: 'charge r-p.0',
    found: 'no CreditsDebited before',
  },
  {
    rule: 'a job without a charge that is no batch',
    story: story().queue('acme', 'p', { chargeId: null }),
    check: 'batches',
    stream: 'live.job-p',
    revision: 0,
    expected: 'children',
    found: 'none',
  },
  {
    rule: 'a child without its parent',
    story: story().debit('acme', 'j').queue('acme', 'j', { parentJobId: 'p' }),
    check: 'batches',
    stream: 'live.job-j',
    revision: 0,
    expected: 'parent p',
    found: 'none before',
  },
  {
    rule: 'a charge without a job past the horizon',
    story: story().debit('acme', 'j'),
    check: 'charge-has-job',
    stream: acme,
    revision: 2,
    expected: 'a job, or refunded',
    found: `open since ${at(2)}`,
  },
  {
    rule: 'a charge that is settled before its job has succeeded',
    story: queued().settle('acme', 'j'),
    check: 'outcomes',
    stream: acme,
    revision: 3,
    expected: 'job succeeded',
    found: 'queued',
  },
  {
    rule: 'a charge that is refunded though its job succeeded',
    story: started().succeed('acme', 'j').refund('acme', 'j'),
    check: 'outcomes',
    stream: acme,
    revision: 3,
    expected: 'job failed',
    found: 'succeeded',
  },
  {
    rule: 'a charge that stays open although its job has failed',
    story: started().fail('acme', 'j'),
    check: 'outcomes',
    stream: acme,
    revision: 2,
    expected: 'refunded',
    found: 'open',
  },
  {
    rule: 'a charge that stays open behind the fence',
    story: story().debit('acme', 'j').void('acme', 'j'),
    check: 'outcomes',
    stream: acme,
    revision: 2,
    expected: 'refunded',
    found: 'open',
  },
  {
    rule: 'a job that ends twice',
    story: story().job('acme', 'j').fail('acme', 'j'),
    check: 'terminal',
    stream: 'live.job-j',
    revision: 4,
    expected: 'nothing after succeeded',
    found: 'JobFailed',
  },
  {
    rule: 'the end of a job that names another charge than its beginning',
    story: story()
      .debit('acme', 'j')
      .queue('acme', 'j')
      .start('acme', 'j')
      .fail('acme', 'j', 1, { operation: 'try-on', chargeId: 'r-k', parentJobId: null }),
    check: 'terminal',
    stream: 'live.job-j',
    revision: 2,
    expected: 'what JobQueued says',
    found: 'charge r-k, workflow try-on, parent null',
  },
  {
    rule: 'what follows the end of a job',
    story: story().failedJob('acme', 'j').stage('acme', 'j'),
    check: 'terminal',
    stream: 'live.job-j',
    revision: 3,
    expected: 'nothing after failed',
    found: 'StageCompleted',
  },
  {
    rule: 'an attempt that is left out',
    story: queued().start('acme', 'j', 2),
    check: 'attempts',
    stream: 'live.job-j',
    revision: 1,
    expected: 1,
    found: 2,
  },
  {
    rule: 'a fourth attempt',
    story: [1, 2, 3, 4].reduce((told, attempt) => told.start('acme', 'j', attempt), queued()),
    check: 'attempts',
    stream: 'live.job-j',
    revision: 4,
    expected: 'at most 3',
    found: 4,
  },
  {
    rule: 'an end by an attempt that had lost the job',
    story: started().start('acme', 'j', 2).succeed('acme', 'j', 1).settle('acme', 'j'),
    check: 'attempts',
    stream: 'live.job-j',
    revision: 3,
    expected: 2,
    found: 1,
  },
  {
    rule: 'a stage outside of any attempt',
    story: queued().stage('acme', 'j'),
    check: 'attempts',
    stream: 'live.job-j',
    revision: 1,
    expected: 'an attempt that was started',
    found: 0,
  },
  {
    rule: 'a job that begins in the middle',
    story: story().start('acme', 'j'),
    check: 'job-beginning',
    stream: 'live.job-j',
    revision: 0,
    expected: 'JobQueued before',
    found: 'nothing',
  },
  {
    rule: 'a fence around a job that is there',
    story: queued().void('acme', 'j').refund('acme', 'j', { reason: 'orphaned' }),
    check: 'job-beginning',
    stream: 'live.job-j',
    revision: 1,
    expected: 'revision 0',
    found: 'revision 1, job queued',
  },
  {
    rule: 'an event of another tenant',
    story: story()
      .job('acme', 'j')
      .tell('job', 'k', 'acme', 'JobCancelled', { reason: 'x' })
      .bend((last) => {
        last.stream = 'live.job-j';
        last.event.metadata.tenant = 'bold';
      }),
    check: 'tenants',
    stream: 'live.job-j',
    revision: 4,
    expected: 'acme',
    found: 'bold',
  },
  {
    rule: "another tenant's asset among the inputs",
    story: story()
      .store('bold', 'asset')
      .debit('acme', 'j')
      .queue('acme', 'j', { inputs: [{ name: 'x', assetId: 'asset', storageKey: 'k', sha256: 'h' }] }),
    check: 'tenants',
    stream: 'live.job-j',
    revision: 0,
    expected: 'acme',
    found: 'bold',
  },
  {
    rule: 'a key that is retired after it was revoked',
    story: story()
      .issueKey('acme', 'k')
      .tell('key', 'k', 'acme', 'ApiKeyRevoked', { reason: 'x' })
      .tell('key', 'k', 'acme', 'ApiKeyRetired', { retiresAt: at(9), successorKeyId: 'l' }),
    check: 'lifecycles',
    stream: 'live.key-k',
    revision: 2,
    expected: 'no event after ApiKeyRevoked',
    found: 'ApiKeyRetired',
  },
  {
    rule: 'a key that is issued twice',
    story: story().issueKey('acme', 'k').issueKey('acme', 'k'),
    check: 'lifecycles',
    stream: 'live.key-k',
    revision: 1,
    expected: 'revision 0',
    found: 1,
  },
  {
    rule: 'an asset that changes',
    story: story().store('acme', 'a').store('acme', 'a'),
    check: 'lifecycles',
    stream: 'live.asset-a',
    revision: 1,
    expected: 'revision 0',
    found: 1,
  },
  {
    rule: 'a catalogue entry that is retired twice',
    story: story().store('acme', 'a').retire('acme', 'a').retire('acme', 'a'),
    check: 'lifecycles',
    stream: 'live.asset-a',
    revision: 2,
    expected: 'revision 1',
    found: 2,
  },
  {
    rule: 'a picture that is erased twice',
    story: story()
      .store('acme', 'a')
      .tell(...pictureErased)
      .retire('acme', 'a')
      .tell(...pictureErased),
    check: 'lifecycles',
    stream: 'live.asset-a',
    revision: 3,
    expected: 'revision 1 or 2',
    found: 3,
  },
  {
    rule: 'words of a job that are erased before its end',
    story: queued().tell('job', 'j', 'acme', 'JobErased', {
      jobId: 'j',
      tenant: 'acme',
      erasureId: 'e',
      assetIds: [],
      words: true,
    }),
    check: 'terminal',
    stream: 'live.job-j',
    revision: 1,
    expected: 'an ended job',
    found: 'queued',
  },
  {
    rule: 'a preset that becomes another kind of thing',
    story: story().publish('p').publish('p', 'shot'),
    check: 'lifecycles',
    stream: 'live.preset-p',
    revision: 1,
    expected: 'model',
    found: 'shot',
  },
  {
    rule: 'an event in a stream that it does not belong in',
    story: story()
      .issueKey('acme', 'k')
      .bend((last) => (last.stream = acme)),
    check: 'formats',
    stream: acme,
    revision: 2,
    expected: 'key',
    found: 'account',
  },
  {
    rule: 'an event of a type that nobody knows',
    story: story()
      .issueKey('acme', 'k')
      .bend((last) => (last.event.type = 'ApiKeyForged')),
    check: 'formats',
    stream: 'live.key-k',
    revision: 0,
    expected: 'an event of a known form',
    found: 'event type ApiKeyForged is not known to this release',
  },
  {
    rule: 'an event with another id than its stream',
    story: story()
      .store('acme', 'a')
      .bend((last) => (last.stream = 'live.asset-b')),
    check: 'formats',
    stream: 'live.asset-b',
    revision: 0,
    expected: 'b',
    found: 'a',
  },
];
