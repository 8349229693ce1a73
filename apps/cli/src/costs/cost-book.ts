import type { JobEvent } from '#domain/job/job.events.js';

/** What costs are summed by. */
export const costGroups = ['tenant', 'workflow', 'model'] as const;
export type CostGroup = (typeof costGroups)[number];

export interface CostLine {
  readonly group: string;
  jobs: number;
  creditsTaken: number;
  creditsReturned: number;
  calls: number;
  /** What vendors took, in the registry's currency. */
  price: number;
  /** Jobs that were refunded although their calls cost money. */
  lostJobs: number;
  lostPrice: number;
}

interface JobCost {
  readonly tenant: string;
  readonly workflow: string;
  readonly credits: number;
  readonly charged: boolean;
  model: string;
  calls: number;
  price: number;
  returned: boolean;
}

/** Adds up what jobs brought in and what their calls cost, from their own events in the log's order. */
export class CostBook {
  private readonly jobs = new Map<string, JobCost>();

  /** @param jobId with its environment: the same id is another job elsewhere */
  add(jobId: string, event: JobEvent): void {
    if (event.type === 'JobQueued') {
      const { tenant, operation: workflow, creditsCost: credits, chargeId, imageModel = '' } = event.data;
      const counters = { calls: 0, price: 0, returned: false };
      this.jobs.set(jobId, {
        tenant,
        workflow,
        credits,
        charged: chargeId !== null,
        model: imageModel,
        ...counters,
      });
      return;
    }
    const job = this.jobs.get(jobId);
    if (!job) return;
    if (event.type === 'EngineCalled') {
      job.calls++;
      // The one that was asked in the end: a fallback may have been.
      job.model = event.data.model;
    }
    if (event.type === 'EngineAnswered') job.price += event.data.price;
    if (event.type === 'JobFailed' || event.type === 'JobCancelled') job.returned = true;
  }

  /** The dearest first. */
  lines(by: CostGroup): CostLine[] {
    const lines = new Map<string, CostLine>();
    for (const job of this.jobs.values()) {
      const group = job[by];
      const line = lines.get(group) ?? { group, ...nothing };
      lines.set(group, line);
      const credits = job.charged ? job.credits : 0;
      line.jobs++;
      line.creditsTaken += credits;
      line.calls += job.calls;
      line.price += job.price;
      if (!job.returned) continue;
      line.creditsReturned += credits;
      if (job.price === 0) continue;
      line.lostJobs++;
      line.lostPrice += job.price;
    }
    return [...lines.values()].toSorted((a, b) => b.price - a.price || a.group.localeCompare(b.group));
  }
}

const nothing = {
  ...{ jobs: 0, creditsTaken: 0, creditsReturned: 0 },
  ...{ calls: 0, price: 0, lostJobs: 0, lostPrice: 0 },
};
