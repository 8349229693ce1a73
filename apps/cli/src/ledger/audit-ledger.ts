import { audit } from '#audit/audit.js';
import type { AuditReport, CheckResult, Cut } from '#audit/audit.js';
import type { ReadBalance } from '#audit/compare/balances.js';
import { mostFindingsKept, type Finding } from '#audit/findings.js';
import type { SealsReport } from '#audit/seals/sealed-history.js';
import { processManagers } from '#application/process-managers/process-managers.js';
import { systemClock } from '#platform/clock.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from '#read-store/folds-for-audit.js';
import { Operator } from '../operator.js';
import { printJson, printLine, printTable } from '../output.js';
import { environmentsOf, momentOf } from '../places.js';
import { withProgress } from '../progress.js';
import { readKeptSeals } from '../seals/proofs.js';
import { CliError, type EnvironmentOptions } from '../verb.js';

export interface AuditLedgerOptions extends EnvironmentOptions {
  readonly tenant?: string;
  readonly at?: string;
  /** In milliseconds. */
  readonly horizon?: number;
  /** A file of seals that were kept. */
  readonly against?: string;
}

/** What the sweep and the process managers may take beyond the horizon, before a charge that is open is wrong. */
const graceMs = 60_000;

/** Writes nothing. Sets exit code 1 unless all holds. */
export async function auditLedger({
  env,
  tenant,
  at,
  horizon,
  against,
  json,
}: AuditLedgerOptions): Promise<void> {
  const cut = at === undefined ? undefined : cutOf(at);
  const kept = against === undefined ? [] : readKeptSeals(against);
  if (against !== undefined && (env !== undefined || tenant !== undefined))
    throw new CliError('--against needs the whole log: leave out --env and --tenant');
  await using operator = await Operator.connect();
  if (tenant !== undefined) await operator.accountsOf(tenant, env);
  const beganAt = performance.now();
  const { databaseUrl, projector, sealing } = operator.configuration;
  const report = await withProgress('the audit was stopped', (signal, onProgress) =>
    audit({
      ...{ store: operator.store, readStoreUrl: databaseUrl },
      ...{ readModels: foldsForAudit(readModels), readBalance: balancesOf(operator) },
      processManagers: processManagers.map(({ name }) => name),
      ...{ environments: environmentsOf(env), tenant, cut, signal, onProgress },
      seals: { keys: sealing.key ? [sealing.key.publicKey] : [], kept },
      ...{ horizonMs: horizon ?? projector.orphanHorizonMs + graceMs, now: systemClock().getTime() },
    }),
  );
  if (!report.holds) process.exitCode = 1;
  const scope = { env, tenant, at, seconds: (performance.now() - beganAt) / 1000 };
  if (json) printJson(describeReport(report, scope));
  else printAuditReport(report, scope);
}

function cutOf(at: string): Cut {
  const moment = momentOf('--at', at, 'position');
  return 'time' in moment ? moment : { position: moment.number };
}

/** As `GET /v1/credits` reads it: from the aggregate, by way of its snapshot. */
export function balancesOf({ accounts }: Pick<Operator, 'accounts'>): ReadBalance {
  return async (environment, tenant) => {
    const { state, position } = await accounts.read(environment, tenant);
    if (state.status === 'unopened' || position === undefined) return undefined;
    return { balance: state.balance, position };
  };
}

interface AuditScope {
  readonly env: string | undefined;
  readonly tenant: string | undefined;
  readonly at: string | undefined;
  readonly seconds: number;
}

/** Of each check. `--json` has them all. */
const mostPrinted = 20;

const rounded = (value: number) => Math.round(value * 10) / 10;

/** Of this process: what the audit takes however busy the machine is. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** What `--json` prints; the names are stable. */
function describeReport(report: AuditReport, { env, tenant, at, seconds }: AuditScope) {
  const { holds, head, events, streams, foreign, checks, findings, seals } = report;
  return {
    ...{ holds, env: env ?? null, tenant_id: tenant ?? null, at: at ?? null },
    head: head === undefined ? null : String(head),
    ...{ events, streams, foreign_events: foreign, seconds: rounded(seconds) },
    events_per_second: seconds > 0 ? Math.round(events / seconds) : 0,
    cpu_seconds: rounded(cpuSeconds()),
    rss_mb: rounded(process.resourceUsage().maxRSS / 1024),
    read_models_compared: at === undefined,
    checks: checks.map(({ name, invariant, title, done, checked, wrong }) => ({
      ...{ check: name, invariant, title, done, checked, wrong },
    })),
    findings,
    seals: seals ? describeSeals(seals) : null,
  };
}

function describeSeals({ last, sealedEvents, unsealedEvents, keys, unnamedKeys }: SealsReport) {
  return {
    ...{ chain: last?.chain ?? null, last: last?.number ?? null, sealed_at: last?.sealedAt ?? null },
    ...{ sealed_events: sealedEvents, unsealed_events: unsealedEvents },
    ...{ keys, unnamed_keys_at: unnamedKeys },
  };
}

function printAuditReport(report: AuditReport, scope: AuditScope): void {
  const { checks, events, streams, head, foreign, holds } = report;
  printTable(checks, {
    invariant: ({ invariant }) => invariant,
    check: ({ name }) => name,
    'what must hold': ({ title }) => title,
    checked: ({ done, checked }) => (done ? checked : 'not now'),
    wrong: ({ done, wrong }) => (done ? wrong : '–'),
  });
  printLine();
  for (const check of checks) printFindings(check, report.findings);
  const speed = scope.seconds > 0 ? Math.round(events / scope.seconds) : 0;
  printLine(
    `${events} events of ${streams} streams up to position ${head ?? 0}, in ${rounded(scope.seconds)} s (${speed} a second)`,
  );
  for (const note of [...notesOn(scope, foreign), ...notesOnSeals(report)]) printLine(note);
  const wrong = checks.reduce((sum, each) => sum + each.wrong, 0);
  printLine(holds ? 'All hold.' : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`);
}

/** What this audit did not look at. */
function notesOn({ at, env, tenant }: AuditScope, foreign: number): string[] {
  return [
    ...(at === undefined ? [] : [`History up to ${at}. Read models have no past, and were not compared.`]),
    ...(env === undefined ? [] : [`Only ${env}.`]),
    ...(tenant === undefined
      ? []
      : [`Only tenant ${tenant}; presets are the installation's, and were not compared.`]),
    ...(foreign === 0
      ? []
      : [`${foreign} events of streams that are none of this service were passed over.`]),
  ];
}

function notesOnSeals({ seals }: AuditReport): string[] {
  if (!seals) return ['Not held against seals: there are none, or only a part of the log was read.'];
  const { last, sealedEvents, unsealedEvents, keys, unnamedKeys } = seals;
  if (!last) return [];
  return [
    `${sealedEvents} events are sealed, up to seal ${last.number} of ${last.sealedAt}; ${unsealedEvents} wait for theirs.`,
    `The last seal is signed with the key ${last.key}. What its owner and the store's can do together, only a kept seal shows (--against).`,
    ...(keys.length > 1 ? [`Keys so far: ${keys.join(', ')}.`] : []),
    ...unnamedKeys.map((number) => `The key of seal ${number} was not named by the one before it.`),
  ];
}

function printFindings({ name, wrong }: CheckResult, all: readonly Finding[]): void {
  if (wrong === 0) return;
  const findings = all.filter(({ check }) => check === name);
  printLine(`${name}: ${wrong} wrong`);
  for (const finding of findings.slice(0, mostPrinted)) printLine(`  ${inWords(finding)}`);
  const more = wrong - Math.min(findings.length, mostPrinted);
  if (more > 0) {
    const kept =
      wrong > mostFindingsKept ? `--json has the first ${mostFindingsKept}` : '--json has them all';
    printLine(`  and ${more} more: ${kept}`);
  }
  printLine();
}

function inWords({ message, stream, revision, table, key, column, expected, found }: Finding): string {
  const place = [
    ...(table === undefined ? [] : [[table, key, column].filter((part) => part !== undefined).join(' ')]),
    ...(stream === undefined ? [] : [revision === undefined ? stream : `${stream} revision ${revision}`]),
  ];
  return `${place.join(', ')}: ${message} (must be ${shown(expected)}, is ${shown(found)})`;
}

function shown(value: unknown): string {
  if (value === null) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
