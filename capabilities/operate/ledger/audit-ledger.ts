import { auditsOfCapabilities, type AuditOfCapabilities } from '#capabilities/parts.js';
import type { AuditedLog, HistoryReader } from '#operator-calls/history-audit.js';
import { readText } from '#operator-calls/read-text.js';
import { audit, type AuditReport, type Cut } from '../audit/audit.js';
import type { ReadBalance } from '../audit/compare/balances.js';
import { mostFindingsKept } from '../audit/findings.js';
import { postgresUrlOf } from '#event-store/open-event-store.js';
import { processManagers } from '#application/process-managers/process-managers.js';
import { systemClock } from '#platform/clock.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from './folds-for-audit.js';
import { IdField, IntegerField, TextField } from '#validation/fields.js';
import { defineCall, type AsJson } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { momentOf } from '../log-reading.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { auditAction, auditSummary } from './last-audit.js';

class Audit extends InEnvironment {
  @IdField({ description: 'Only data of this tenant.' })
  tenant?: string;

  @TextField({
    description: 'A time, or a position of the log: check history up to there, and no read models.',
    min: 1,
    max: 40,
  })
  at?: string;

  @IntegerField({
    description: 'How long a charge that should be closed may stay open, in milliseconds.',
    min: 0,
    max: 7 * 86_400_000,
  })
  horizon?: number;

  @TextField({
    description: 'Seals that were kept, as `seal export` wrote them, one a line: the log must hold them.',
    min: 1,
    max: 10_000_000,
  })
  against?: string;
}

/**
 * The time that the sweep and the process managers may take beyond the horizon before an open charge counts as
 * wrong.
 */
const graceMs = 60_000;

/**
 * Writes only the record that the audit was made. The command ends with exit code 1 unless everything holds.
 */
export const auditLedger = defineCall({
  name: auditAction,
  route: 'POST /audits',
  may: ['support', 'finance', 'read'],
  summary: 'Check all that must hold, against history and row for row',
  input: Audit,
  typed: { horizon: 'duration', against: 'file' },
  long: 'the audit was stopped',
  readOnly: 'recorded',
  unrecorded: ['against'],
  prepare: ({ against, ...input }: Audit) => ({
    ...input,
    ...(against !== undefined && { against: readText(against) }),
  }),
  async run(operator, { env, tenant, at, horizon, against }, { signal, onProgress }) {
    const cut = at === undefined ? undefined : cutOf(at);
    if (against !== undefined && (env !== undefined || tenant !== undefined))
      throw new CallRefused('--against needs the whole log: leave out --env and --tenant');
    if (tenant !== undefined) await operator.accountsOf(tenant, env);
    const beganAt = performance.now();
    const { databaseUrl, projector, signingKey } = operator.configuration;
    const readers = await readersOf({
      store: operator.store,
      configuration: operator.configuration,
      isBackup: false,
      against,
    });
    const report = await audit({
      store: operator.store,
      readStoreUrl: databaseUrl,
      logUrl: postgresUrlOf(operator.configuration),
      readModels: foldsForAudit(readModels),
      readBalance: balancesOf(operator),
      processManagers: processManagers.map(({ name }) => name),
      environments: environmentsOf(env),
      tenant,
      cut,
      signal,
      onProgress,
      knowsWriters: signingKey !== undefined,
      readers,
      horizonMs: horizon ?? projector.orphanHorizonMs + graceMs,
      now: systemClock().getTime(),
    });
    const seconds = (performance.now() - beganAt) / 1000;
    return describeReport(report, partsOf(readers), { env, tenant, at, seconds });
  },
  summarise: ({ events, checks }) =>
    auditSummary(
      checks.reduce((sum, each) => sum + each.wrong, 0),
      events,
    ),
  print: printAuditReport,
  failed: ({ holds }) => !holds,
});

function cutOf(at: string): Cut {
  const moment = momentOf('--at', at, 'position');
  return 'time' in moment ? moment : { position: moment.number };
}

/** The readers of all capabilities that check history along with the audit. @throws CallRefused */
export async function readersOf(log: AuditedLog): Promise<HistoryReader[]> {
  const audits = await auditsOfCapabilities();
  if (log.against !== undefined && audits.length === 0)
    throw new CallRefused('--against has nothing to compare: no capability that keeps seals is installed');
  return Promise.all(audits.map((each) => each.begin(log)));
}

/** The readers' parts of the report. */
function partsOf(readers: readonly HistoryReader[]): AuditOfCapabilities {
  // Each capability with a part has one reader.
  return Object.assign({}, ...readers.map((reader) => reader.report())) as AuditOfCapabilities;
}

/** Reads balances as `GET /v1/credits` does: from the aggregate, by way of its snapshot. */
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

/** Findings printed for each check. `--json` has them all. */
const mostPrinted = 20;

const rounded = (value: number) => Math.round(value * 10) / 10;

/** CPU time of this process, which does not depend on how busy the machine is. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The report that `--json` prints; the names are stable. */
function describeReport(
  report: AuditReport,
  ofCapabilities: AuditOfCapabilities,
  { env, tenant, at, seconds }: AuditScope,
) {
  const { holds, head, events, streams, foreign, checks, findings, notes } = report;
  return {
    holds,
    env: env ?? null,
    tenant_id: tenant ?? null,
    at: at ?? null,
    head: head === undefined ? null : String(head),
    events,
    streams,
    foreign_events: foreign,
    seconds: rounded(seconds),
    events_per_second: seconds > 0 ? Math.round(events / seconds) : 0,
    cpu_seconds: rounded(cpuSeconds()),
    rss_mb: rounded(process.resourceUsage().maxRSS / 1024),
    read_models_compared: at === undefined,
    checks: checks.map(({ name, invariant, title, done, checked, wrong }) => ({
      check: name,
      invariant,
      title,
      done,
      checked,
      wrong,
    })),
    findings,
    notes,
    ...ofCapabilities,
  };
}

type Report = AsJson<ReturnType<typeof describeReport>>;

async function printAuditReport(report: Report): Promise<void> {
  const ofCapabilities = (await auditsOfCapabilities()).flatMap((each) => each.notes(report));
  const { checks, events, streams, head, holds, seconds, events_per_second: speed } = report;
  printTable(checks, {
    invariant: ({ invariant }) => invariant,
    check: ({ check }) => check,
    'what must hold': ({ title }) => title,
    checked: ({ done, checked }) => (done ? checked : 'not now'),
    wrong: ({ done, wrong }) => (done ? wrong : '–'),
  });
  printLine();
  for (const check of checks) printFindings(check, report.findings);
  printLine(
    `${events} events of ${streams} streams up to position ${head ?? 0}, in ${seconds} s (${speed} a second)`,
  );
  for (const note of [...report.notes, ...notesOn(report), ...ofCapabilities]) printLine(note);
  const wrong = checks.reduce((sum, each) => sum + each.wrong, 0);
  printLine(holds ? 'All hold.' : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`);
}

/** Notes on the parts that this audit did not look at. */
function notesOn({ at, env, tenant_id: tenant, foreign_events: foreign }: Report): string[] {
  return [
    ...(at === null ? [] : [`History up to ${at}. Read models keep no past, so they were not compared.`]),
    ...(env === null ? [] : [`Only ${env}.`]),
    ...(tenant === null
      ? []
      : [`Only tenant ${tenant}; presets belong to the installation, so they were not compared.`]),
    ...(foreign === 0
      ? []
      : [`${foreign} events were skipped: their streams do not belong to this service.`]),
  ];
}

function printFindings({ check: name, wrong }: Report['checks'][number], all: Report['findings']): void {
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

function inWords(finding: Report['findings'][number]): string {
  const { message, stream, revision, table, key, column, expected, found } = finding;
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
