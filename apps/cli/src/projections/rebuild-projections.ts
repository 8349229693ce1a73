import type { Environment } from '#domain/streams.js';
import { readModels } from '#projections/read-models.js';
import type { ReadModel } from '#read-store/read-model.js';
import * as rebuilding from '#read-store/rebuild/rebuild.js';
import type { RowDifferences } from '#read-store/rebuild/comparison.js';
import type { RebuildReport, RebuiltModel } from '#read-store/rebuild/rebuild.js';
import { RebuildRefused } from '#read-store/rebuild/rebuild-session.js';
import { findConfiguration, withEventStore } from '../service.js';
import { printJson, printLine, printTable } from '../output.js';
import { environmentsOf } from '../places.js';
import { withProgress } from '../progress.js';
import { CliError, type EnvironmentOptions } from '../verb.js';

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
};

type Work = keyof typeof work;

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
          ...{ environment, readModels: models, signal, onProgress, acceptDifferences, switchOver },
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

type EnvironmentReport = RebuildReport & { readonly env: Environment };

/** Undefined: all is as was asked. */
function complaintAbout(
  what: Work,
  reports: readonly EnvironmentReport[],
  { acceptDifferences }: { readonly acceptDifferences: boolean },
): string | undefined {
  const all = reports.flatMap(({ env, models }) => models.map((model) => ({ env, ...model })));
  const named = (some: typeof all) => some.map(({ env, name }) => `${env}.${name}`).join(', ');
  const differing = all.filter(({ compared }) => differences(compared) > 0);
  const alone = all.filter(({ compared }) => !compared);
  if (what === 'compare' && alone.length > 0)
    return `there is nothing to compare with, for these have no rows: ${named(alone)}; rebuild them`;
  if (differing.length === 0 || (acceptDifferences && what !== 'compare')) return undefined;
  if (what === 'compare') return `the live rows are not what the history says: ${named(differing)}`;
  return `not switched, for the new rows differ from the live ones: ${named(differing)}; look at them, then "atelier projections switch NAME --accept-differences"`;
}

function asJson(what: Work, reports: readonly EnvironmentReport[], ok: boolean): unknown {
  return {
    ok,
    environments: reports.map(({ env, events, foldSeconds, heldMs, models }) => ({
      ...{ env, events, fold_seconds: round(foldSeconds), events_per_second: rate(events, foldSeconds) },
      ...(what !== 'compare' && { held_ms: Math.round(heldMs) }),
      projections: models.map((model) => modelAsJson(model)),
    })),
  };
}

function modelAsJson(model: RebuiltModel): unknown {
  const { compared } = model;
  return {
    name: model.name,
    generation: model.generation,
    version: model.version,
    live_version_before: model.liveVersion,
    live_generation_before: model.liveGeneration,
    resumed_after: model.resumedAfter,
    position: model.position,
    rows: model.rows,
    parked_streams: model.parkedStreams,
    switched: model.switched,
    differences: compared
      ? { missing: compared.missing, extra: compared.extra, changed: compared.changed, first: compared.first }
      : null,
  };
}

function printRebuilt(what: Work, reports: readonly EnvironmentReport[]): void {
  const all = reports.flatMap(({ env, models }) => models.map((model) => ({ env, model })));
  printTable(all, {
    environment: ({ env }) => env,
    'read model': ({ model }) => model.name,
    generation: ({ model }) => `${model.liveGeneration ?? 'none'} → ${model.generation}`,
    position: ({ model }) => model.position,
    rows: ({ model }) => model.rows,
    'parked streams': ({ model }) => model.parkedStreams,
    compared: ({ model }) => verdict(model),
    [outcomeHead[what]]: ({ model }) => outcome(what, model),
  });
  for (const { env, models } of reports)
    for (const { name, compared } of models)
      for (const line of differenceLines(`${env}.${name}`, compared)) printLine(line);
  printLine();
  for (const { env, events, foldSeconds, models } of reports) {
    const resumed = models.some(({ resumedAfter }) => resumedAfter !== null)
      ? ', going on from an earlier run'
      : '';
    printLine(
      `${env}: ${events} events in ${round(foldSeconds)} s, ${rate(events, foldSeconds)} a second${resumed}`,
    );
  }
}

const outcomeHead: Readonly<Record<Work, string>> = {
  ...{ rebuild: 'switched', compare: '', switch: 'switched', rollback: 'switched back' },
};

function outcome(what: Work, { switched }: RebuiltModel): string {
  if (what === 'compare') return '';
  return switched ? 'yes' : 'NO';
}

function verdict({ compared, version, liveVersion }: RebuiltModel): string {
  if (!compared) return 'with nothing';
  const versions = liveVersion === version ? '' : ` (version ${liveVersion} with ${version})`;
  if (differences(compared) === 0) return `equal${versions}`;
  const { missing, extra, changed } = compared;
  return `DIFFERS: ${missing} missing, ${extra} extra, ${changed} changed${versions}`;
}

function differences(compared: RowDifferences | undefined): number {
  return compared ? compared.missing + compared.extra + compared.changed : 0;
}

function* differenceLines(name: string, compared: RowDifferences | undefined): Generator<string> {
  if (!compared || differences(compared) === 0) return;
  yield '';
  for (const { key, kind, columns } of compared.first) {
    const row = `${name} ${Object.entries(key)
      .map(([column, value]) => `${column}=${String(value)}`)
      .join(' ')}`;
    if (kind === 'missing') yield `${row}: the live table has no such row`;
    if (kind === 'extra') yield `${row}: only the live table has this row`;
    for (const { column, live, rebuilt } of columns)
      yield `${row}: ${column} is ${JSON.stringify(live)}, from the history ${JSON.stringify(rebuilt)}`;
  }
  const more = differences(compared) - compared.first.length;
  if (more > 0) yield `${name}: ${more} more rows differ`;
}

function rate(events: number, seconds: number): number {
  return seconds > 0 ? Math.round(events / seconds) : 0;
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
