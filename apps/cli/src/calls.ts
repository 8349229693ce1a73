import { callsOfCapabilities } from '#capabilities/parts.js';
import { isCall, type AnyCall } from './call.js';
import * as catalog from './catalog.js';
import * as costs from './costs/costs.js';
import * as events from './events/events.js';
import * as jobs from './jobs/jobs.js';
import * as repairs from './jobs/repair-jobs.js';
import * as rows from './jobs/rows-of-job.js';
import * as stranded from './jobs/stranded-jobs.js';
import * as keys from './keys/keys.js';
import * as audits from './ledger/audit-ledger.js';
import * as exports from './ledger/export-ledger.js';
import * as accounts from './ledger/show-ledger.js';
import * as models from './models/models.js';
import * as losses from './objects/accept-loss.js';
import * as objects from './objects/audit-objects.js';
import * as replays from './replay/replay-stream.js';
import * as proofs from './seals/proofs.js';
import * as seals from './seals/seals.js';
import * as orphans from './ledger/orphans.js';
import * as now from './now/now.js';
import * as operations from './operations/operations.js';
import * as operators from './operators/operators.js';
import * as pictures from './pictures/pictures.js';
import * as presets from './presets/presets.js';
import * as projections from './projections/list-projections.js';
import * as parked from './projections/parked.js';
import * as rebuilding from './projections/rebuild-projections.js';
import * as status from './status.js';
import * as credits from './tenants/credits.js';
import * as tenants from './tenants/tenants.js';

/** The kernel's, of which the exports that are calls are what can be asked of the operator's API. */
export const modules = {
  tenants,
  credits,
  keys,
  operators,
  jobs,
  repairs,
  rows,
  stranded,
  orphans,
  audits,
  operations,
  pictures,
  presets,
  projections,
  rebuilding,
  parked,
  status,
  now,
  catalog,
  costs,
  events,
  exports,
  accounts,
  models,
  objects,
  losses,
  replays,
  proofs,
  seals,
};

/** Everything that can be asked, with the place of its declaration. */
export const declaredCalls = Object.entries({ ...modules, ...(await callsOfCapabilities()) }).flatMap(
  ([module, exports]) =>
    Object.entries<unknown>(exports).flatMap(([name, call]) =>
      isCall(call) ? [{ module, name, call }] : [],
    ),
);

export const calls: readonly AnyCall[] = declaredCalls.map(({ call }) => call);

/** What all of them need. */
export const features = [...new Set(calls.flatMap(({ features: own = [] }) => own))];
