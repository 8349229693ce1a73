import type { NowOfCapabilities } from '#capabilities/parts.js';
import type { Environment } from '#domain/streams.js';
import { silences, type SeenProcess } from '#read-store/signs-of-life.js';
import { queuePatienceSeconds } from './figures.js';
import { complaintsAboutAlerts, type AlertLevel } from '../alerts/alert-level.js';
import { lagText, patienceSeconds, type ConsumerStatus } from '../health/consumers.js';
import { complaintsAboutAudits, type LastAudits } from '../ledger/last-audit.js';

/** Something that makes people wait, or will. */
export interface Reason {
  readonly what:
    | 'processes'
    | 'queue'
    | 'failures'
    | 'halted'
    | 'behind'
    | 'parked'
    | 'stranded'
    | 'orphaned'
    | keyof NowOfCapabilities
    | 'audit'
    | 'alerts';
  readonly env: Environment | null;
  /** For people. */
  readonly detail: string;
}

interface OfEnvironment {
  readonly env: Environment;
}

/** The facts from which reasons are found. */
export interface Facts extends LastAudits {
  readonly processes: readonly SeenProcess[];
  /** Empty if there is no queue at all. */
  readonly queues: readonly (OfEnvironment & {
    readonly waiting: number;
    readonly active: number;
    readonly oldest_seconds: number;
  })[];
  readonly last_hour: readonly (OfEnvironment & {
    readonly ended: number;
    readonly refund_rate: number | null;
    readonly errors: readonly { readonly error_code: string }[];
  })[];
  readonly consumers: readonly Pick<
    ConsumerStatus,
    'env' | 'name' | 'state' | 'halted_because' | 'lag' | 'lag_seconds' | 'parked'
  >[];
  readonly stranded: readonly (OfEnvironment & { readonly jobs: number })[];
  readonly charges: readonly (OfEnvironment & { readonly orphaned: number })[];
  /** Reasons from the capabilities. */
  readonly capabilities: readonly Reason[];
  readonly alerts: AlertLevel;
}

/** A failure rate over fewer jobs says nothing about their engine. */
const fewJobs = 10;
const worryingRefunds = 0.1;

/** Empty if no one waits longer than usual, and nothing is wrong that would make people wait. */
export function reasonsFor(facts: Facts): Reason[] {
  const { processes, queues, last_hour, consumers, stranded, charges } = facts;
  const inEach = <Of extends OfEnvironment>(
    what: Reason['what'],
    levels: readonly Of[],
    tell: (level: Of) => string | false,
  ): Reason[] =>
    levels.flatMap((level) => {
      const detail = tell(level);
      return detail === false ? [] : [{ what, env: level.env, detail }];
    });
  return [
    ...silences(processes).map((detail) => ({ what: 'processes' as const, env: null, detail })),
    ...(queues.length === 0
      ? [{ what: 'queue' as const, env: null, detail: 'there is no render queue: a projector makes one' }]
      : []),
    ...inEach('queue', queues, ({ waiting, active, oldest_seconds: oldest }) => {
      const who = active === 0 ? 'no worker renders' : `${active} are being rendered`;
      return oldest > queuePatienceSeconds && `${waiting} tasks wait, the first for ${oldest} s, and ${who}`;
    }),
    ...inEach('failures', last_hour, ({ ended, refund_rate: rate, errors }) => {
      const share = Math.round((rate ?? 0) * 100);
      const worst = errors[0]?.error_code;
      const worries = ended >= fewJobs && (rate ?? 0) > worryingRefunds;
      return worries && `${share} % of ${ended} jobs of the last hour were refunded, most for ${worst}`;
    }),
    ...inEach('halted', consumers, ({ name, state, halted_because: because }) => {
      return state !== 'live' && `${name} is ${state}${because === null ? '' : `: ${because}`}`;
    }),
    ...inEach('behind', consumers, ({ name, ...lag }) => {
      return (lag.lag_seconds ?? 0) > patienceSeconds && `${name} is ${lagText(lag)} behind`;
    }),
    ...inEach(
      'parked',
      consumers,
      ({ name, parked }) => parked > 0 && `${parked} events of ${name} are parked`,
    ),
    ...inEach('stranded', stranded, ({ jobs }) => jobs > 0 && `${jobs} jobs have neither task nor attempt`),
    ...inEach('orphaned', charges, ({ orphaned }) => {
      return orphaned > 0 && `${orphaned} open charges have no job, or one that has ended`;
    }),
    ...facts.capabilities,
    ...complaintsAboutAudits(facts).map((detail) => ({ what: 'audit' as const, env: null, detail })),
    ...complaintsAboutAlerts(facts.alerts).map((detail) => ({ what: 'alerts' as const, env: null, detail })),
  ];
}
