import { readModels } from '#projections/read-models.js';
import type { ReadModel } from '#read-store/read-model.js';
import * as rebuilding from '#read-store/rebuild/rebuild.js';
import { RebuildRefused } from '#read-store/rebuild/rebuild-session.js';
import { findConfiguration } from '../find-configuration.js';
import { printJson } from '../output.js';
import { environmentsOf } from '../places.js';
import { withProgress } from '../progress.js';
import { withEventStore } from '../stores.js';
import { CliError, type EnvironmentOptions } from '../verb.js';
import { asJson, complaintAbout, printRebuilt, type EnvironmentReport, type Work } from './print-rebuilt.js';

export interface RebuildVerbOptions extends EnvironmentOptions {
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

export const rebuildReadModels = doing('rebuild');
export const compareReadModels = doing('compare');
export const switchReadModels = doing('switch');
export const rollBackReadModels = doing('rollback');

function doing(what: Work) {
  return (names: readonly string[], options: RebuildVerbOptions) => carryOut(what, names, options);
}

/** The exit code is 0 only when every read model is where it was asked to be, and no difference was found unasked. */
async function carryOut(
  what: Work,
  names: readonly string[],
  { env, all = false, acceptDifferences = false, switch: switchOver = true, json }: RebuildVerbOptions,
): Promise<void> {
  const models = chooseReadModels(names, all);
  const configuration = findConfiguration();
  const { databaseUrl: url } = configuration;
  const resumes = what === 'rebuild' ? ', and it goes on from here' : '';
  const reports = await withProgress(
    `stopped: run the same command again${resumes}`,
    async (signal, onProgress) => {
      const done: EnvironmentReport[] = [];
      for (const environment of environmentsOf(env)) {
        const options = {
          environment,
          readModels: models,
          signal,
          onProgress,
          acceptDifferences,
          switchOver,
        };
        const report = await withEventStore(configuration, { maxConnections: 3 }, (eventStore) =>
          work[what]({ ...options, url, eventStore }),
        );
        done.push({ env: environment, ...report });
      }
      return done;
    },
  ).catch((error: unknown) => {
    throw error instanceof RebuildRefused ? new CliError(error.message) : error;
  });
  const complaint = complaintAbout(what, reports, { acceptDifferences });
  if (json) printJson(asJson(what, reports, complaint === undefined));
  else printRebuilt(what, reports);
  if (complaint !== undefined) throw new CliError(complaint);
}

/** The read models of these names, in the order in which the projector has them. @throws CliError */
export function chooseReadModels(names: readonly string[], all: boolean): readonly ReadModel<object>[] {
  const known = readModels.map(({ name }) => name);
  if (all && names.length > 0) throw new CliError('give names or --all, not both');
  if (all) return readModels;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new CliError(
      `${unknown === undefined ? 'say which read models' : `there is no read model ${JSON.stringify(unknown)}`}: ${known.join(', ')}, or --all`,
    );
  return readModels.filter(({ name }) => names.includes(name));
}
