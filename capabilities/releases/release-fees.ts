import { decode } from '#domain/stored-events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { ReleaseFee } from './release.events.js';

/** The fee of a release by the revision of its terms: later revisions keep the fee until one changes it. */
export async function feesOf(
  store: EventStore,
  environment: Environment,
  releaseId: string,
): Promise<(revision: number) => ReleaseFee | null> {
  const slice = await store.readStream(streamName(environment, 'release', releaseId));
  const fees: (ReleaseFee | null)[] = [];
  for (const recorded of slice.kind === 'found' ? slice.events : []) {
    const event = decode(recorded);
    const states = event.type === 'ModelReleaseGranted' || event.type === 'ModelReleaseRevised';
    fees.push(states ? event.data.fee : (fees.at(-1) ?? null));
  }
  return (revision) => fees[revision] ?? null;
}

interface Counted {
  readonly releaseRevision: number;
  readonly jobs: number;
}

/** Adds up the fees of these jobs, in one sum for each unit. */
export function owedFor(
  counted: readonly Counted[],
  feeAt: (revision: number) => ReleaseFee | null,
): { amount: number; unit: string; jobs: number }[] {
  const sums = new Map<string, { amount: number; unit: string; jobs: number }>();
  for (const { releaseRevision, jobs } of counted) {
    const fee = feeAt(releaseRevision);
    if (!fee) continue;
    const sum = sums.get(fee.unit) ?? { amount: 0, unit: fee.unit, jobs: 0 };
    sums.set(fee.unit, { ...sum, amount: sum.amount + fee.amount * jobs, jobs: sum.jobs + jobs });
  }
  return [...sums.values()];
}
