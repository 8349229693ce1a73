import { rulesOfCapabilities } from '#capabilities/parts.js';

/**
 * By name, in the order of the report: the number of the invariant (docs/auditing.md, "What must always hold")
 * and the rule.
 */
const rules = {
  balance: [1, 'balance = purchases − debits + refunds at each revision, and never below 0'],
  accounts: [1, 'accounts are debited while active, and within their daily cap'],
  charges: [2, 'a charge is made once, then settled or refunded once, for what was charged'],
  'job-has-charge': [3, 'a job was charged before it was queued: its price, to its tenant'],
  batches: [3, 'the parent of a batch has no charge; each of its children has'],
  'charge-has-job': [3, 'past the horizon no charge is open without a job'],
  outcomes: [4, 'succeeded ⇔ settled; failed, cancelled, voided ⇔ refunded'],
  terminal: [5, 'a job ends once, and nothing follows its end'],
  attempts: [5, 'attempts of a job count up from 1 and are bounded'],
  'job-beginning': [5, 'a job begins with JobQueued, or with JobVoided and nothing else'],
  lifecycles: [5, 'keys, assets, presets and products begin once, and revoked keys stay revoked'],
  answered: [6, 'each answer kept under an Idempotency-Key names the job of its own request'],
  revisions: [7, 'revisions of a stream are 0..n without gaps'],
  'event-ids': [7, 'event ids are unique'],
  positions: [7, 'positions grow'],
  formats: [7, 'each event can be read, and belongs where it is'],
  jobs: [8, 'read model jobs = fold of history'],
  timeline: [8, 'read model timeline = fold of history'],
  usage: [8, 'read model usage = fold of history'],
  ledger: [8, 'read model ledger = fold of history'],
  renders: [8, 'read model renders = fold of history'],
  calls: [8, 'read model calls = fold of history'],
  keys: [8, 'read model keys = fold of history'],
  assets: [8, 'read model assets = fold of history'],
  presets: [8, 'read model presets = fold of history'],
  catalog: [8, 'read model catalog = fold of history'],
  products: [8, 'read model products = fold of history'],
  'other-read-models': [8, 'each read model of a capability = fold of history'],
  'read-models-live': [8, 'each read model serves, is not halted, has nothing parked, and keeps up'],
  checkpoints: [8, 'each checkpoint names the event that it was made from, and has skipped none'],
  'stream-revisions': [8, 'the projector knows how far each stream is folded'],
  'ledger-sums': [9, 'the rows of /v1/transactions sum to the balance'],
  'balance-shown': [9, 'the balance of /v1/credits equals that of history'],
  tenants: [10, 'an event belongs to the tenant of its stream, and names only things of that tenant'],
  replayed: [11, 'nothing was charged, closed or bought twice'],
  tasks: [12, 'every job that has not ended has a task or a running attempt'],
  writers: [14, 'each event was written by this service, or adopted by an operator'],
  ...rulesOfCapabilities,
  database: [15, 'tables, views, functions, triggers and grants are those that this release makes'],
} as const;

export type CheckName = keyof typeof rules;

export interface AuditCheck {
  readonly name: CheckName;
  readonly invariant: number;
  readonly title: string;
  /** The data that the check needs: the log alone, or also the read store. */
  readonly scope: 'history' | 'read-store';
}

const needReadStore: readonly string[] = ['answered', 'ledger-sums', 'balance-shown', 'tasks', 'database'];

// `rules` is declared above, so its keys are exactly those that its type has.
export const checks: readonly AuditCheck[] = (Object.keys(rules) as CheckName[]).map((name) => {
  const [invariant, title] = rules[name];
  const scope = invariant === 8 || needReadStore.includes(name) ? 'read-store' : 'history';
  return { name, invariant, title, scope };
});

/** The check of a read model: its own, or that of all read models that the kernel does not know. */
export function checkOfReadModel(name: string): CheckName {
  const own = checks.find((check) => check.name === name && check.invariant === 8);
  return own?.name ?? 'other-read-models';
}

/** One thing that is wrong. Fields that do not apply are absent. */
export interface Finding {
  readonly check: CheckName;
  readonly message: string;
  /** Its place: a stream and the revision at which it shows. */
  readonly stream?: string;
  readonly revision?: number;
  /** For a read model: `{environment}.{name}`, the row's key, and the column, which is absent for a whole row. */
  readonly table?: string;
  readonly key?: string;
  readonly column?: string;
  /** What has to be there, and what is. */
  readonly expected?: unknown;
  readonly found?: unknown;
}

/** An event by its place in its stream. */
export interface Revision {
  readonly stream: string;
  readonly revision: number;
}

/** The most findings kept for each check; further ones are only counted. */
export const mostFindingsKept = 10_000;

export interface Tally {
  readonly checked: number;
  readonly wrong: number;
}

/** Counts what was checked and what is wrong. */
export class AuditFindings {
  private readonly tallies = new Map<CheckName, { checked: number; wrong: number }>();
  private readonly kept: Finding[] = [];
  readonly notes: string[] = [];

  constructor(private readonly mostKept = mostFindingsKept) {}

  checked(check: CheckName, count = 1): void {
    this.entry(check).checked += count;
  }

  wrong(finding: Finding): void {
    const entry = this.entry(finding.check);
    entry.wrong++;
    if (entry.wrong <= this.mostKept) this.kept.push(finding);
  }

  /** Reports an event that is wrong, or that shows what is wrong. */
  wrongAt(
    { stream, revision }: Revision,
    check: CheckName,
    message: string,
    expected: unknown,
    found: unknown,
  ): void {
    this.wrong({ check, message, stream, revision, expected, found });
  }

  /** Counts wrong things without describing them. */
  wrongUntold(check: CheckName, count: number): void {
    this.entry(check).wrong += count;
  }

  /** Notes something that this audit does not know and does not judge. */
  note(text: string): void {
    this.notes.push(text);
  }

  of(check: CheckName): Tally {
    return this.tallies.get(check) ?? { checked: 0, wrong: 0 };
  }

  get all(): readonly Finding[] {
    return this.kept;
  }

  private entry(check: CheckName): { checked: number; wrong: number } {
    let entry = this.tallies.get(check);
    if (!entry) this.tallies.set(check, (entry = { checked: 0, wrong: 0 }));
    return entry;
  }
}
