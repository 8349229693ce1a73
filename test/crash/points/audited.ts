import { audit } from '#audit/audit.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from '#read-store/folds-for-audit.js';
import { caughtUp } from './invariants.js';
import { horizonMs, type World } from './world.js';

/** What the operator's audit has to say of all that happened, as if it was asked right now. */
export async function auditFindings(world: World): Promise<string[]> {
  if (!(await caughtUp(world))) return ['the read models do not catch up'];
  const { store, snapshots } = world.events;
  const accounts = new AccountWriter(store, snapshots);
  const report = await audit({
    ...{ store, readStoreUrl: world.database.url, environments: ['test'] },
    readModels: foldsForAudit(readModels),
    ...{ horizonMs, now: Date.now(), signal: AbortSignal.timeout(60_000) },
    readBalance: async (environment, tenant) => {
      const { state, position } = await accounts.read(environment, tenant);
      if (state.status === 'unopened' || position === undefined) return undefined;
      return { balance: state.balance, position };
    },
  });
  const bigintsAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  return report.findings.map((finding) => JSON.stringify(finding, bigintsAsText));
}
