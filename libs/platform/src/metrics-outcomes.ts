import { Counter, Histogram, type Registry } from 'prom-client';
import { environments, type Environment } from '#domain/streams.js';

/** How a job ended. `failed` has the code that the caller sees. */
export type JobEnd =
  { readonly outcome: 'succeeded' | 'cancelled' } | { readonly outcome: 'failed'; readonly code: string };

/** What this process has written into the log, told once for each event that is new there. */
export interface OutcomeObserver {
  charged(environment: Environment, workflow: string, credits: number): void;
  refunded(environment: Environment, reason: string, credits: number): void;
  jobEnded(environment: Environment, workflow: string, end: JobEnd): void;
  /** What the engine took for a job that succeeded. */
  rendered(workflow: string, durationMs: number): void;
}

const renderSeconds = [0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 60, 120, 300];
const refundReasons = ['job-failed', 'job-cancelled', 'orphaned'];

export function observeOutcomes(registers: Registry[]): OutcomeObserver {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `atelier_${name}_total`, help, labelNames, registers });
  const charges = counter('charges', 'Charges made', 'environment', 'workflow');
  const charged = counter('charged_credits', 'Credits charged', 'environment', 'workflow');
  const refunds = counter('refunds', 'Charges given back', 'environment', 'reason');
  const refunded = counter('refunded_credits', 'Credits given back', 'environment', 'reason');
  const ended = counter('jobs_finished', 'Jobs that ended', 'environment', 'workflow', 'outcome');
  const failures = counter('job_failures', 'Jobs that failed', 'environment', 'code');
  const renders = new Histogram({
    name: 'atelier_render_duration_seconds',
    help: 'How long the engine took for jobs that succeeded, by workflow',
    labelNames: ['workflow'],
    buckets: renderSeconds,
    registers,
  });
  // A series that is there from the start shows its first increase.
  for (const environment of environments) {
    for (const reason of refundReasons) {
      refunds.inc({ environment, reason }, 0);
      refunded.inc({ environment, reason }, 0);
    }
  }
  return {
    charged: (environment, workflow, credits) => {
      charges.inc({ environment, workflow });
      charged.inc({ environment, workflow }, credits);
    },
    refunded: (environment, reason, credits) => {
      refunds.inc({ environment, reason });
      refunded.inc({ environment, reason }, credits);
    },
    jobEnded: (environment, workflow, end) => {
      ended.inc({ environment, workflow, outcome: end.outcome });
      if (end.outcome === 'failed') failures.inc({ environment, code: end.code });
    },
    rendered: (workflow, durationMs) => renders.observe({ workflow }, durationMs / 1000),
  };
}
