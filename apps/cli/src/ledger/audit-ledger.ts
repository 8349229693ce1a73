import { audit } from '#audit/audit.js';
import type { Cut } from '#audit/audit-options.js';
import type { ReadBalance } from '#audit/compare/balances.js';
import { environments, type Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { ProgressDisplay } from '../progress.js';
import { Operator } from '../operator.js';
import { printJson } from '../output.js';
import { accountsOf } from '../tenants/accounts-of.js';
import type { OutputOptions } from '../verb.js';
import { momentOf } from './moment.js';
import { describeReport, printReport } from './audit-report.js';

export interface AuditLedgerOptions extends OutputOptions {
  readonly env?: Environment;
  readonly tenant?: string;
  readonly at?: string;
  /** In milliseconds. */
  readonly horizon?: number;
}

/** What the sweep and the process managers may take beyond the horizon, before a charge that is open is wrong. */
const graceMs = 60_000;

/** Writes nothing. Sets exit code 1 unless all holds. */
export async function auditLedger({ env, tenant, at, horizon, json }: AuditLedgerOptions): Promise<void> {
  const cut = at === undefined ? undefined : cutOf(at);
  await using operator = Operator.connect();
  if (tenant !== undefined) await accountsOf(operator, tenant, env);
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error('the audit was stopped'));
  process.once('SIGINT', stop);
  const beganAt = performance.now();
  const { databaseUrl, orphanHorizonMs } = operator.connections;
  try {
    using display = new ProgressDisplay();
    const report = await audit({
      ...{ store: operator.store, readStoreUrl: databaseUrl, readBalance: balancesOf(operator) },
      ...{ environments: env ? [env] : environments, tenant, cut },
      ...{ horizonMs: horizon ?? orphanHorizonMs + graceMs, now: systemClock().getTime() },
      signal: stopping.signal,
      onProgress: (progress) => display.show(progress),
    });
    display[Symbol.dispose]();
    if (!report.holds) process.exitCode = 1;
    const seconds = (performance.now() - beganAt) / 1000;
    if (json) printJson(describeReport(report, { env, tenant, at, seconds }));
    else printReport(report, { env, tenant, at, seconds });
  } finally {
    process.off('SIGINT', stop);
  }
}

function cutOf(at: string): Cut {
  const moment = momentOf(at, 'position');
  return 'time' in moment ? moment : { position: moment.number };
}

/** As `GET /v1/credits` reads it: from the aggregate, by way of its snapshot. */
function balancesOf({ accounts }: Operator): ReadBalance {
  return async (environment, tenant) => {
    const { state, position } = await accounts.read(environment, tenant);
    if (state.status === 'unopened' || position === undefined) return undefined;
    return { balance: state.balance, position };
  };
}
