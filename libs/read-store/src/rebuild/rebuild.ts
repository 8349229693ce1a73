import { Comparison } from './comparison.js';
import { RebuildRun, removeCompared } from './rebuild-run.js';
import { LiveGenerations, ProgressiveFold } from './live-generations.js';
import { prepareBuilds, type Purpose } from './prepare-builds.js';
import type { RebuildReport, RebuildRequest } from './rebuild-report.js';
import { RebuildSession, type RebuildOptions } from './rebuild-session.js';

/**
 * Fills new generations from the whole history, compares each with the live one and lets it take its place.
 *
 * Compared is at one and the same position. The checkpoints of the live generations are held for as long as the new
 * ones need to arrive there too (milliseconds, for they were close before), a snapshot is taken, and they are let go:
 * in the snapshot both have seen the same events, and it may be compared for as long as it takes. What changed since
 * then is compared by its keys, in further snapshots until little is left; the last of it while the checkpoints are
 * held for the switch.
 *
 * A live generation that stands still (`halted`) is compared where it stands; what came later is folded after that. One
 * without a table has nothing to compare with.
 * @throws RebuildRefused, SkippedEvent, the reason of the signal
 */
export async function rebuild(request: RebuildRequest): Promise<RebuildReport> {
  return run(request, 'rebuild');
}

/** Proves that the live rows are what the history folds into, or shows where not. Leaves nothing behind. */
export async function compare(request: RebuildOptions): Promise<RebuildReport> {
  return run(request, 'compare');
}

/** Compares what was built before with what is live, and lets it take its place. */
export async function switchOver(request: RebuildRequest): Promise<RebuildReport> {
  return run(request, 'switch');
}

/** Lets the generation that was live before take its place again, once it has caught up. Nothing is compared. */
export async function rollback(request: RebuildOptions): Promise<RebuildReport> {
  return run(request, 'rollback');
}

async function run(request: RebuildRequest, purpose: Purpose): Promise<RebuildReport> {
  await using session = await RebuildSession.open(request);
  const preparation = await prepareBuilds(session, purpose, request.acceptDifferences ?? false);
  try {
    const fold = new ProgressiveFold(session, preparation);
    const live = new LiveGenerations(session, preparation.builds, fold);
    const comparison = new Comparison(session, live, fold);
    return await new RebuildRun({ session, preparation, request, purpose, fold, live, comparison }).run();
  } finally {
    // Whatever became of it, and for what does not work any more the next one does it.
    if (purpose === 'compare') await removeCompared(session, preparation).catch(() => undefined);
  }
}
