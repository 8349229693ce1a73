import { environments, type Environment } from '#domain/streams.js';
import { openEventStore } from '#event-store/open-event-store.js';
import * as rebuilding from '#read-store/rebuild/rebuild.js';
import { type RebuildProgress, RebuildRefused } from '#read-store/rebuild/rebuild-session.js';
import type { RebuildRequest } from '#read-store/rebuild/rebuild-report.js';
import { CliError } from '../cli-error.js';
import { findConnections, type Connections } from '../connections.js';
import { printJson } from '../output.js';
import { ProgressDisplay } from '../progress.js';
import type { OutputOptions } from '../verb.js';
import { asJson, complaintAbout, printReport, type Report, type Work } from './print-report.js';
import { chooseReadModels } from './read-model-names.js';

export interface RebuildOptions extends OutputOptions {
  readonly env?: Environment;
  readonly all?: boolean;
  readonly acceptDifferences?: boolean;
  /** Commander's name for the absence of `--no-switch`. */
  readonly switch?: boolean;
}

const work = {
  rebuild: rebuilding.rebuild,
  compare: rebuilding.compare,
  switch: rebuilding.switchOver,
  rollback: rebuilding.rollback,
} satisfies Record<Work, unknown>;

/** The exit code is 0 only when every read model is where it was asked to be, and no difference was found unasked. */
export async function rebuildProjections(
  what: Work,
  names: readonly string[],
  { env, all = false, acceptDifferences = false, switch: switchOver = true, json }: RebuildOptions,
): Promise<void> {
  const models = chooseReadModels(names, all);
  const connections = findConnections();
  const reports: Report[] = [];
  await stoppable(async (signal, onProgress) => {
    for (const environment of env ? [env] : environments) {
      const options = { environment, readModels: models, signal, onProgress, acceptDifferences, switchOver };
      reports.push({
        env: environment,
        ...(await inStore(connections, (store) => work[what]({ ...options, ...store }))),
      });
    }
  }, what);
  const complaint = complaintAbout(what, reports, { acceptDifferences });
  if (json) printJson(asJson(what, reports, complaint === undefined));
  else printReport(what, reports);
  if (complaint !== undefined) throw new CliError(complaint);
}

async function inStore<T>(
  connections: Connections,
  run: (store: Pick<RebuildRequest, 'url' | 'eventStore'>) => Promise<T>,
): Promise<T> {
  const opened = openEventStore(connections, { maxConnections: 3 });
  try {
    return await run({ url: connections.databaseUrl, eventStore: opened.store });
  } catch (error) {
    if (error instanceof RebuildRefused) throw new CliError(error.message);
    throw error;
  } finally {
    await opened.close();
  }
}

/** Ctrl-C ends it in an orderly way, and what was done so far is not done again. */
async function stoppable(
  run: (signal: AbortSignal, onProgress: (progress: RebuildProgress) => void) => Promise<void>,
  what: Work,
): Promise<void> {
  const stopping = new AbortController();
  const resumes = what === 'rebuild' ? ', and it goes on from here' : '';
  const stop = () => stopping.abort(new CliError(`stopped: run the same command again${resumes}`));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  using display = new ProgressDisplay();
  try {
    await run(stopping.signal, (progress) => display.show(progress));
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
