import type { Environment } from '#domain/streams.js';
import { readModels } from '#projections/read-models.js';
import type { ReadModel } from '#read-store/read-model.js';
import type { RowDifferences } from '../rebuild/comparison.js';
import type { Purpose } from '../rebuild/prepare-builds.js';
import { rebuild, type RebuildReport, type RebuiltModel } from '../rebuild/rebuild.js';
import { RebuildRefused } from '../rebuild/rebuild-session.js';
import { BooleanField, ListField, text } from '#validation/fields.js';
import { defineCall, type Asked, type AsJson } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { wordsOptions } from '#adapters/event-log.module.js';
import { withEventStore } from '../service.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';

class ChosenReadModels extends InEnvironment {
  @ListField({
    description: 'Read models, for example `jobs`.',
    items: text({ min: 1, max: 64 }),
    max: 50,
  })
  name: string[] = [];

  @BooleanField({ description: 'All read models.' })
  all: boolean = false;
}

class Switching extends ChosenReadModels {
  @BooleanField({ description: 'Switch even if the new rows differ from the live ones.' })
  accept_differences: boolean = false;
}

class Rebuilding extends Switching {
  @BooleanField({ description: 'False: build and compare only.' })
  switch: boolean = true;
}

const again = 'stopped: run the same command again';

export const rebuildReadModels = defineCall({
  name: 'projections rebuild',
  route: 'POST /projections/rebuild',
  may: [],
  long: `${again}, and it goes on from here`,
  summary: 'Fold the history again beside the live rows, compare, and switch',
  input: Rebuilding,
  ...carriedOut('rebuild'),
});

export const compareReadModels = defineCall({
  name: 'projections compare',
  route: 'POST /projections/compare',
  may: ['support'],
  long: again,
  readOnly: 'silent',
  summary: 'Prove that the live rows are what the history says; changes nothing',
  input: ChosenReadModels,
  ...carriedOut('compare'),
});

export const switchReadModels = defineCall({
  name: 'projections switch',
  route: 'POST /projections/switch',
  may: [],
  long: again,
  summary: 'Compare rows that an earlier rebuild made once more, and switch to them',
  input: Switching,
  ...carriedOut('switch'),
});

export const rollBackReadModels = defineCall({
  name: 'projections rollback',
  route: 'POST /projections/rollback',
  may: [],
  long: again,
  summary: 'Go back to the rows that were live before the last switch',
  input: ChosenReadModels,
  ...carriedOut('rollback'),
});

/**
 * `ok` is true only if every read model is where the caller wanted it, and no difference was found that the
 * caller does not accept.
 */
async function carryOut(
  what: Purpose,
  { configuration }: Operator,
  input: ChosenReadModels & Partial<Rebuilding>,
  { signal, onProgress }: Asked,
) {
  const { env, name, all, accept_differences: acceptDifferences = false, switch: switchOver = true } = input;
  const readModels = chooseReadModels(name, all);
  const { databaseUrl: url } = configuration;
  const reports: EnvironmentReport[] = [];
  try {
    for (const environment of environmentsOf(env)) {
      const options = { environment, readModels, signal, onProgress, acceptDifferences, switchOver };
      const connection = { maxConnections: 3, words: wordsOptions(configuration) };
      const report = await withEventStore(configuration, connection, (eventStore) =>
        rebuild({ ...options, url, eventStore }, what),
      );
      reports.push({ env: environment, ...report });
    }
  } catch (error) {
    throw error instanceof RebuildRefused ? new CallRefused(error.message) : error;
  }
  const environments = describeReports(what, reports);
  return { ok: complaintAbout(what, environments, acceptDifferences) === undefined, environments };
}

type Rebuilt = AsJson<Awaited<ReturnType<typeof carryOut>>>;

/** The parts that the four calls share. */
function carriedOut(what: Purpose) {
  return {
    typed: { name: 'argument' } as const,
    run: (operator: Operator, input: ChosenReadModels, asked: Asked) =>
      carryOut(what, operator, input, asked),
    print: (result: Rebuilt) => printRebuilt(what, result),
    complaint: ({ environments }: Rebuilt, input: object) =>
      complaintAbout(what, environments, 'accept_differences' in input && input.accept_differences === true),
  };
}

/** The read models with these names, in the order in which the projector has them. @throws CallRefused */
export function chooseReadModels(names: readonly string[], all: boolean): readonly ReadModel<object>[] {
  const known = readModels.map(({ name }) => name);
  if (all && names.length > 0) throw new CallRefused('give names or --all, not both');
  if (all) return readModels;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new CallRefused(
      `${unknown === undefined ? 'say which read models' : `there is no read model ${JSON.stringify(unknown)}`}: ${known.join(', ')}, or --all`,
    );
  return readModels.filter(({ name }) => names.includes(name));
}

type EnvironmentReport = RebuildReport & { readonly env: Environment };

interface Compared {
  readonly name: string;
  readonly differences: Pick<RowDifferences, 'missing' | 'extra' | 'changed'> | null;
}

/** Undefined if everything is as the caller wanted it. */
function complaintAbout(
  what: Purpose,
  environments: readonly { readonly env: string; readonly projections: readonly Compared[] }[],
  acceptDifferences: boolean,
): string | undefined {
  const all = environments.flatMap(({ env, projections }) => projections.map((model) => ({ env, ...model })));
  const named = (some: typeof all) => some.map(({ env, name }) => `${env}.${name}`).join(', ');
  const differing = all.filter((model) => differences(model) > 0);
  const alone = all.filter((model) => !model.differences);
  if (what === 'compare' && alone.length > 0)
    return `there is nothing to compare with, because these have no rows: ${named(alone)}; rebuild them`;
  if (differing.length === 0 || (acceptDifferences && what !== 'compare')) return undefined;
  if (what === 'compare') return `the live rows are not what the history says: ${named(differing)}`;
  return `not switched, because the new rows differ from the live ones: ${named(differing)}; look at them, then run "atelier projections switch NAME --accept-differences"`;
}

function describeReports(what: Purpose, reports: readonly EnvironmentReport[]) {
  return reports.map(({ env, events, foldSeconds, heldMs, models }) => ({
    env,
    events,
    fold_seconds: round(foldSeconds),
    events_per_second: rate(events, foldSeconds),
    ...(what !== 'compare' && { held_ms: Math.round(heldMs) }),
    projections: models.map((model) => describeModel(model)),
  }));
}

type Described = AsJson<ReturnType<typeof describeReports>[number]>;
type DescribedModel = Described['projections'][number];

function describeModel(model: RebuiltModel) {
  const { compared } = model;
  return {
    name: model.name,
    generation: model.generation,
    version: model.version,
    live_version_before: model.liveVersion,
    live_generation_before: model.liveGeneration,
    resumed_after: model.resumedAfter === null ? null : String(model.resumedAfter),
    position: model.position === null ? null : String(model.position),
    rows: model.rows,
    parked_streams: model.parkedStreams,
    switched: model.switched,
    differences: compared
      ? { missing: compared.missing, extra: compared.extra, changed: compared.changed, first: compared.first }
      : null,
  };
}

function printRebuilt(what: Purpose, { environments }: Rebuilt): void {
  const all = environments.flatMap(({ env, projections }) => projections.map((model) => ({ env, model })));
  printTable(all, {
    environment: ({ env }) => env,
    'read model': ({ model }) => model.name,
    generation: ({ model }) => `${model.live_generation_before ?? 'none'} → ${model.generation}`,
    position: ({ model }) => model.position,
    rows: ({ model }) => model.rows,
    'parked streams': ({ model }) => model.parked_streams,
    compared: ({ model }) => verdict(model),
    [outcomeHead[what]]: ({ model }) => outcome(what, model),
  });
  for (const { env, projections } of environments)
    for (const model of projections)
      for (const line of differenceLines(`${env}.${model.name}`, model)) printLine(line);
  printLine();
  for (const { env, events, fold_seconds, events_per_second, projections } of environments) {
    const resumed = projections.some(({ resumed_after }) => resumed_after !== null)
      ? ', going on from an earlier run'
      : '';
    printLine(`${env}: ${events} events in ${fold_seconds} s, ${events_per_second} a second${resumed}`);
  }
}

const outcomeHead: Readonly<Record<Purpose, string>> = {
  rebuild: 'switched',
  compare: '',
  switch: 'switched',
  rollback: 'switched back',
};

function outcome(what: Purpose, { switched }: DescribedModel): string {
  if (what === 'compare') return '';
  return switched ? 'yes' : 'NO';
}

function verdict(model: DescribedModel): string {
  const { differences: compared, version, live_version_before: before } = model;
  if (!compared) return 'with nothing';
  const versions = before === version ? '' : ` (version ${before} with ${version})`;
  if (differences(model) === 0) return `equal${versions}`;
  const { missing, extra, changed } = compared;
  return `DIFFERS: ${missing} missing, ${extra} extra, ${changed} changed${versions}`;
}

function differences({ differences: compared }: Compared): number {
  return compared ? compared.missing + compared.extra + compared.changed : 0;
}

function* differenceLines(name: string, model: DescribedModel): Generator<string> {
  const { differences: compared } = model;
  if (!compared || differences(model) === 0) return;
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
  const more = differences(model) - compared.first.length;
  if (more > 0) yield `${name}: ${more} more rows differ`;
}

function rate(events: number, seconds: number): number {
  return seconds > 0 ? Math.round(events / seconds) : 0;
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
