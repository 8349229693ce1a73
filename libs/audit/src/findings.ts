import type { CheckName } from './checks.js';

/** One thing that is wrong. What does not apply is absent. */
export interface Finding {
  readonly check: CheckName;
  readonly message: string;
  /** Where it is: a stream and the revision at which it shows. */
  readonly stream?: string;
  readonly revision?: number;
  /** Of a read model: `{environment}.{name}`, the row's key, and the column; absent for a row as a whole. */
  readonly table?: string;
  readonly key?: string;
  readonly column?: string;
  /** What has to be there, and what is. */
  readonly expected?: unknown;
  readonly found?: unknown;
}

/** Of each check. Of a history that is wrong through and through, the rest is counted. */
export const mostFindingsKept = 10_000;

export interface Tally {
  readonly checked: number;
  readonly wrong: number;
}

/** Counts what was checked and what is wrong. */
export class Findings {
  private readonly tallies = new Map<CheckName, { checked: number; wrong: number }>();
  private readonly kept: Finding[] = [];

  constructor(private readonly mostKept = mostFindingsKept) {}

  checked(check: CheckName, count = 1): void {
    this.entry(check).checked += count;
  }

  wrong(finding: Finding): void {
    const entry = this.entry(finding.check);
    entry.wrong++;
    if (entry.wrong <= this.mostKept) this.kept.push(finding);
  }

  /** Wrong things that nothing more is said of. */
  wrongUntold(check: CheckName, count: number): void {
    this.entry(check).wrong += count;
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
