import { maxAttempts } from '#domain/job/render-job.js';
import type { Recorded } from './history.js';

/**
 * The invariants of money and jobs, from the history of one tenant alone. Written from the rules and not from the
 * aggregates' code, so that a mistake there is not made here as well.
 */
export interface Charge {
  readonly chargeId: string;
  readonly jobId: string;
  readonly amount: number;
  readonly position: bigint;
  end: 'open' | 'settled' | 'refunded';
}

export interface JobStory {
  readonly jobId: string;
  readonly parentJobId: string | null;
  readonly chargeId: string | null;
  readonly children: readonly string[];
  readonly position: bigint;
  readonly endings: string[];
  starts: number;
}

export class Books {
  balance = 0;
  readonly charges = new Map<string, Charge>();
  readonly jobs = new Map<string, JobStory>();
  /** Fenced off, with the charge that the fence names. */
  readonly voided = new Map<string, string>();
  readonly problems: string[] = [];

  constructor(history: readonly Recorded[]) {
    for (const event of history) this.#apply(event);
  }

  get roots(): JobStory[] {
    return [...this.jobs.values()].filter(({ parentJobId }) => parentJobId === null);
  }

  /** Whether anything is still to come of what has happened. */
  get unsettled(): string[] {
    const charges = [...this.charges.values()].filter(({ end }) => end === 'open');
    const jobs = [...this.jobs.values()].filter(({ endings }) => endings.length === 0);
    return [
      ...charges.map(({ chargeId }) => `charge ${chargeId} is open`),
      ...jobs.map(({ jobId }) => `job ${jobId} has not ended`),
    ];
  }

  /** What must hold once everything is settled. */
  finalProblems(): string[] {
    const problems = [...this.problems, ...this.unsettled];
    for (const { jobId, chargeId, endings, starts, children, position } of this.jobs.values()) {
      if (endings.length > 1)
        problems.push(`job ${jobId} has ended ${endings.length} times: ${endings.join()}`);
      if (starts > maxAttempts) problems.push(`job ${jobId} was started ${starts} times`);
      if (this.voided.has(jobId)) problems.push(`job ${jobId} was queued and fenced off`);
      if (chargeId === null) problems.push(...this.#batchProblems(jobId, children, endings[0]));
      else problems.push(...this.#chargeProblems(jobId, chargeId, endings[0], position));
    }
    for (const charge of this.charges.values()) {
      const { chargeId, jobId, end } = charge;
      if (this.jobs.has(jobId)) continue;
      if (end !== 'refunded') problems.push(`charge ${chargeId} is ${end} and has no job`);
      if (this.voided.get(jobId) !== chargeId)
        problems.push(`charge ${chargeId} was refunded without a fence`);
    }
    return problems;
  }

  #chargeProblems(jobId: string, chargeId: string, ending: string | undefined, queuedAt: bigint): string[] {
    const charge = this.charges.get(chargeId);
    if (!charge) return [`job ${jobId} was never charged`];
    const due = ending === 'JobSucceeded' ? 'settled' : 'refunded';
    return [
      ...(charge.position < queuedAt ? [] : [`job ${jobId} was queued before it was charged`]),
      ...(charge.jobId === jobId ? [] : [`charge ${chargeId} is for ${charge.jobId}, not ${jobId}`]),
      ...(charge.end === due ? [] : [`job ${jobId}: ${ending}, and its charge is ${charge.end}`]),
    ];
  }

  #batchProblems(jobId: string, children: readonly string[], ending: string | undefined): string[] {
    const ends = children.map(
      (child) => this.jobs.get(child)?.endings[0] ?? (this.voided.has(child) ? 'JobVoided' : 'none'),
    );
    if (ends.includes('none')) return [`batch ${jobId} lacks a job: ${ends.join()}`];
    const any = ends.includes('JobSucceeded');
    if (ending === 'JobSucceeded' && !any) return [`batch ${jobId} succeeded without a job that did`];
    if (ending === 'JobFailed' && any) return [`batch ${jobId} failed although a job succeeded`];
    return [];
  }

  #apply(event: Recorded): void {
    switch (event.type) {
      case 'CreditsPurchased':
        this.balance += event.data.amount;
        return;
      case 'CreditsDebited': {
        const { chargeId, jobId, amount } = event.data;
        if (this.charges.has(chargeId)) this.problems.push(`charge ${chargeId} was made twice`);
        this.charges.set(chargeId, { chargeId, jobId, amount, position: event.position, end: 'open' });
        this.balance -= amount;
        if (this.balance < 0) this.problems.push(`the balance is ${this.balance} after ${chargeId}`);
        return;
      }
      case 'CreditsSettled':
        this.#close(event.data.chargeId, 'settled');
        return;
      case 'CreditsRefunded': {
        const charge = this.#close(event.data.chargeId, 'refunded');
        if (charge && charge.amount !== event.data.amount) {
          this.problems.push(`${event.data.amount} refunded of ${charge.amount} for ${charge.chargeId}`);
        }
        this.balance += event.data.amount;
        return;
      }
      case 'JobQueued': {
        const { jobId, parentJobId, chargeId, childJobIds: children = [] } = event.data;
        if (this.jobs.has(jobId)) this.problems.push(`job ${jobId} was queued twice`);
        const { position } = event;
        this.jobs.set(jobId, { jobId, parentJobId, chargeId, children, position, endings: [], starts: 0 });
        return;
      }
      case 'JobVoided':
        this.voided.set(event.id, event.data.chargeId);
        return;
      case 'RenderStarted':
        this.#job(event, (job) => job.starts++);
        return;
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled':
        this.#job(event, ({ endings }) => endings.push(event.type));
        return;
      default:
        return;
    }
  }

  #close(chargeId: string, end: 'settled' | 'refunded'): Charge | undefined {
    const charge = this.charges.get(chargeId);
    if (charge?.end !== 'open')
      this.problems.push(`charge ${chargeId} was ${end} and is ${charge?.end ?? 'unknown'}`);
    if (charge) charge.end = end;
    return charge;
  }

  #job({ id, type }: Recorded, tell: (job: JobStory) => void): void {
    const job = this.jobs.get(id);
    if (!job) this.problems.push(`${type} for ${id}, which was not queued`);
    else if (job.endings.length > 0 && type === 'RenderStarted')
      this.problems.push(`${id} was started after its end`);
    if (job) tell(job);
  }
}
