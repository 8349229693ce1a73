/**
 * What the audit checks. `invariant` is the number under "What must always hold" in docs/auditing.md; `scope` says what
 * is needed for it: the log alone, or the read store beside it.
 */
export interface Check {
  readonly name: string;
  readonly invariant: number;
  readonly scope: 'history' | 'read-store';
  readonly title: string;
}

export const checks = [
  check(
    'balance',
    1,
    'history',
    'balance = purchases − debits + refunds at each revision, and never below 0',
  ),
  check('accounts', 1, 'history', 'accounts are debited while active, and within their daily cap'),
  check(
    'charges',
    2,
    'history',
    'a charge is made once, then settled or refunded once, for what was charged',
  ),
  check('job-has-charge', 3, 'history', 'a job was charged before it was queued: its price, to its tenant'),
  check('batches', 3, 'history', 'the parent of a batch has no charge; each of its children has'),
  check('charge-has-job', 3, 'history', 'past the horizon no charge is open without a job'),
  check('outcomes', 4, 'history', 'succeeded ⇔ settled; failed, cancelled, voided ⇔ refunded'),
  check('terminal', 5, 'history', 'a job ends once, and nothing follows its end'),
  check('attempts', 5, 'history', 'attempts of a job count up from 1 and are bounded'),
  check('job-beginning', 5, 'history', 'a job begins with JobQueued, or with JobVoided and nothing else'),
  check(
    'lifecycles',
    5,
    'history',
    'keys, assets, presets and products begin once, and revoked keys stay so',
  ),
  check('answered', 6, 'read-store', 'the job of each answer kept under an Idempotency-Key exists'),
  check('revisions', 7, 'history', 'revisions of a stream are 0..n without gaps'),
  check('event-ids', 7, 'history', 'event ids are unique'),
  check('positions', 7, 'history', 'positions grow'),
  check('formats', 7, 'history', 'each event can be read, and belongs where it is'),
  check('jobs', 8, 'read-store', 'read model jobs = fold of history'),
  check('timeline', 8, 'read-store', 'read model timeline = fold of history'),
  check('usage', 8, 'read-store', 'read model usage = fold of history'),
  check('ledger', 8, 'read-store', 'read model ledger = fold of history'),
  check('renders', 8, 'read-store', 'read model renders = fold of history'),
  check('keys', 8, 'read-store', 'read model keys = fold of history'),
  check('assets', 8, 'read-store', 'read model assets = fold of history'),
  check('presets', 8, 'read-store', 'read model presets = fold of history'),
  check('catalog', 8, 'read-store', 'read model catalog = fold of history'),
  check(
    'read-models-live',
    8,
    'read-store',
    'each read model serves, stands not still, has nothing parked, and comes along',
  ),
  check('ledger-sums', 9, 'read-store', 'the rows of /v1/transactions sum to the balance'),
  check('balance-shown', 9, 'read-store', 'the balance of /v1/credits is that of history'),
  check('tenants', 10, 'history', 'an event is of the tenant of its stream, and names only what is theirs'),
  check('replayed', 11, 'history', 'nothing was charged, closed or bought twice'),
] as const satisfies readonly Check[];

export type CheckName = (typeof checks)[number]['name'];

function check<Name extends string>(
  name: Name,
  invariant: number,
  scope: Check['scope'],
  title: string,
): Check & { readonly name: Name } {
  return { name, invariant, scope, title };
}
