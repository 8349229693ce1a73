import { audit, type AuditReport, type Cut } from '../audit/audit.js';
import type { ReadBalance } from '../audit/compare/balances.js';
import { mostFindingsKept } from '../audit/findings.js';
import type { SealsReport } from '../audit/seals/sealed-history.js';
import { postgresUrlOf } from '#event-store/open-event-store.js';
import { readChainEnd } from '#event-store/seals/seal.js';
import type { PlacedHead } from '#application/seals/kept-heads.js';
import { processManagers } from '#application/process-managers/process-managers.js';
import { systemClock } from '#platform/clock.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from './folds-for-audit.js';
import { IdField, IntegerField, TextField } from '#validation/fields.js';
import { defineCall, type AsJson } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { momentOf } from '../places.js';
import { describeHead, readHead } from '../seals/heads.js';
import { parseKeptSeals, readText } from '../seals/proofs.js';
import { CliError } from '#operator-calls/call-refused.js';
import { auditAction, auditSummary } from './last-audit.js';

class Audit extends InEnvironment {
  @IdField({ description: 'Only what is of this tenant.' })
  tenant?: string;

  @TextField({
    description: 'History up to then, and no read models: a time, or a position of the log.',
    min: 1,
    max: 40,
  })
  at?: string;

  @IntegerField({
    description: 'How long a charge may stay open that should be closed, in milliseconds.',
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

/** What the sweep and the process managers may take beyond the horizon, before a charge that is open is wrong. */
const graceMs = 60_000;

/** Writes nothing but that it was made. The command ends with exit code 1 unless all holds. */
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
    const kept = against === undefined ? [] : parseKeptSeals(against, 'the kept seals');
    if (against !== undefined && (env !== undefined || tenant !== undefined))
      throw new CliError('--against needs the whole log: leave out --env and --tenant');
    if (tenant !== undefined) await operator.accountsOf(tenant, env);
    const beganAt = performance.now();
    const { databaseUrl, projector, sealing, signingKey } = operator.configuration;
    const head = await readHead(operator.configuration, await readChainEnd(operator.store));
    if (head?.seal) kept.push(head.seal);
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
      seals: { keys: sealing.key ? [sealing.key.publicKey] : [], kept },
      horizonMs: horizon ?? projector.orphanHorizonMs + graceMs,
      now: systemClock().getTime(),
    });
    const seconds = (performance.now() - beganAt) / 1000;
    return describeReport(report, { env, tenant, at, seconds, head });
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

/** As `GET /v1/credits` reads it: from the aggregate, by way of its snapshot. */
export function balancesOf({ accounts }: Pick<Operator, 'accounts'>): ReadBalance {
  return async (environment, tenant) => {
    const { state, position } = await accounts.read(environment, tenant);
    if (state.status === 'unopened' || position === undefined) return undefined;
    return { balance: state.balance, position };
  };
}

interface AuditScope {
  readonly head: PlacedHead | undefined;
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
function describeReport(report: AuditReport, { env, tenant, at, seconds, head: keptHead }: AuditScope) {
  const { holds, head, events, streams, foreign, checks, findings, notes, seals } = report;
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
    seals: seals ? describeSeals(seals) : null,
    kept_head: describeHead(keptHead),
  };
}

function describeSeals({ last, sealedEvents, unsealedEvents, keys, unnamedKeys }: SealsReport) {
  return {
    chain: last?.chain ?? null,
    last: last?.number ?? null,
    sealed_at: last?.sealedAt ?? null,
    sealed_events: sealedEvents,
    unsealed_events: unsealedEvents,
    keys,
    unnamed_keys_at: unnamedKeys,
  };
}

type Report = AsJson<ReturnType<typeof describeReport>>;

function printAuditReport(report: Report): void {
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
  for (const note of [...report.notes, ...notesOn(report), ...notesOnSeals(report), ...notesOnHead(report)])
    printLine(note);
  const wrong = checks.reduce((sum, each) => sum + each.wrong, 0);
  printLine(holds ? 'All hold.' : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`);
}

/** What this audit did not look at. */
function notesOn({ at, env, tenant_id: tenant, foreign_events: foreign }: Report): string[] {
  return [
    ...(at === null ? [] : [`History up to ${at}. Read models have no past, and were not compared.`]),
    ...(env === null ? [] : [`Only ${env}.`]),
    ...(tenant === null
      ? []
      : [`Only tenant ${tenant}; presets are the installation's, and were not compared.`]),
    ...(foreign === 0
      ? []
      : [`${foreign} events of streams that are none of this service were passed over.`]),
  ];
}

function notesOnSeals({ seals }: Report): string[] {
  if (!seals) return ['Not held against seals: there are none, or only a part of the log was read.'];
  const { last, sealed_at, sealed_events, unsealed_events, keys, unnamed_keys_at } = seals;
  if (last === null) return [];
  return [
    `${sealed_events} events are sealed, up to seal ${last} of ${sealed_at}; ${unsealed_events} wait for theirs.`,
    `The last seal is signed with the key ${keys.at(-1)}. What its owner and the store's can do together, only a kept seal shows (--against).`,
    ...(keys.length > 1 ? [`Keys so far: ${keys.join(', ')}.`] : []),
    ...unnamed_keys_at.map((number) => `The key of seal ${number} was not named by the one before it.`),
  ];
}

function notesOnHead({ seals, kept_head: head }: Report): string[] {
  if (!seals) return [];
  if (!head)
    return [
      'No head of the seals was found outside the database: only seals of the log itself were compared.',
    ];
  const { seal, accepted } = head;
  return [
    seal === null ? [] : [`Seal ${seal} is kept outside the database, and was compared.`],
    accepted ? [`${accepted.by} let sealing go on after it on ${accepted.at}: ${accepted.reason}`] : [],
  ].flat();
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
