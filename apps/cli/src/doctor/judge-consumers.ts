import { beyondTheLog, countedEvents, type ConsumerStatus } from './consumer-status.js';

/** A projector that works is never this far behind, not even with a full queue. */
const patienceSeconds = 10;

/** @returns what to say of consumers that are well. @throws Error that says which is not, and why */
export function judgeConsumers(consumers: readonly ConsumerStatus[]): string {
  if (consumers.length === 0) throw new Error('none yet: no projector has ever run on this database');
  const halted = consumers.filter(({ state }) => state === 'halted');
  if (halted.length > 0)
    throw new Error(
      halted.map(({ env, name, halted_because: why }) => `${env} ${name} is halted: ${why}`).join('; '),
    );
  const lost = consumers
    .filter(({ state }) => state === beyondTheLog)
    .map(({ env, name }) => `${env} ${name}`);
  if (lost.length > 0)
    throw new Error(
      `the checkpoints of ${lost.join(', ')} lie beyond the end of the log: they belong to another store`,
    );
  const parked = consumers.reduce((sum, each) => sum + each.parked, 0);
  if (parked > 0) throw new Error(`${parked} events are parked`);
  const late = consumers.filter(({ lag_seconds: seconds }) => (seconds ?? 0) > patienceSeconds);
  if (late.length > 0)
    throw new Error(
      late.map(({ env, name, ...each }) => `${env} ${name} is ${lagText(each)} behind`).join('; '),
    );
  const lag = Math.max(...consumers.map((each) => each.lag));
  return lag === 0 ? 'all up to date' : `at most ${lag} events behind`;
}

export function lagText({ lag, lag_seconds: seconds }: Pick<ConsumerStatus, 'lag' | 'lag_seconds'>): string {
  if (lag === 0) return '0 events';
  return `${lag === countedEvents ? `${lag} or more` : lag} events, ${seconds} s`;
}
