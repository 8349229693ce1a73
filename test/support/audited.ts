import assert from 'node:assert/strict';
import type { AccountWriter } from '#application/account/account-writer.js';
import { processManagers } from '#application/process-managers/process-managers.js';
import { audit, type AuditOptions, type AuditReport } from '#capabilities/operate/audit/audit.js';
import { environments } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from '#capabilities/operate/ledger/folds-for-audit.js';
import { balancesOf } from '#capabilities/operate/ledger/audit-ledger.js';

/** The parts of an installation that a spec has. */
export interface Audited {
  readonly store: EventStore;
  readonly databaseUrl: string;
  readonly accounts: AccountWriter;
}

/**
 * The report of `atelier ledger audit` about an installation. Process managers and seals are included only on
 * request.
 */
export function audited(
  { store, databaseUrl, accounts }: Audited,
  more: Partial<AuditOptions> = {},
): Promise<AuditReport> {
  return audit({
    store,
    readStoreUrl: databaseUrl,
    logUrl: databaseUrl,
    environments,
    horizonMs: 120_000,
    readModels: foldsForAudit(readModels),
    readBalance: balancesOf({ accounts }),
    now: Date.now(),
    signal: new AbortController().signal,
    ...more,
  });
}

/** For the end of a spec: the audit must raise no alarm. It waits for read models that are behind. */
export async function expectAuditToHold(installation: Audited): Promise<void> {
  const names = processManagers.map(({ name }) => name);
  const report = await audited(installation, { processManagers: names, patienceMs: 180_000 });
  assert.deepEqual(report.findings.slice(0, 5), []);
  assert.ok(report.events > 0, 'the log is empty: there was nothing to audit');
}
