import type { Capability } from '../capability.js';
import { readOperateSettings, type OperateSettings } from './operate.settings.js';

/**
 * Operators' tools for the service: the command `atelier`, the operators' API, and all calls of both, such as
 * the audit, rebuilds, copies of the log and its drill.
 */
export const operate: Capability<'operate', readonly [], OperateSettings> = {
  name: 'operate',
  events: [],
  settings: readOperateSettings,
  modules: {
    projector: async () => ({ module: (await import('./operate.projector.js')).OperateProjectorModule }),
  },
  watchers: [
    {
      name: 'nightly-audit',
      load: async () => (await import('./nightly-audit/nightly-audit.js')).NightlyAudit,
    },
  ],
  operatorsServer: 'capabilities/operate/server/main.js',
  nouns: {
    tenants: {
      about: 'the customers, and their accounts',
      calls: [() => import('./tenants/tenants.js')],
    },
    credits: {
      about: 'what tenants may spend',
      calls: [() => import('./tenants/credits.js')],
    },
    keys: {
      about: 'API keys',
      calls: [() => import('./keys/keys.js')],
    },
    actions: {
      about: 'what operators did: who, when, what, and how it ended',
      calls: [() => import('./actions/list-actions.js')],
    },
    jobs: {
      about: 'what was dispatched, and what became of it',
      calls: [
        () => import('./jobs/jobs.js'),
        () => import('./jobs/repair-jobs.js'),
        () => import('./jobs/rows-of-job.js'),
        () => import('./jobs/stranded-jobs.js'),
        () => import('./pictures/pictures.js'),
      ],
    },
    pictures: {
      about: 'what jobs have made',
      calls: [() => import('./pictures/pictures.js')],
    },
    orphans: {
      about: 'open charges whose job never came, or has ended; the projector closes them by itself',
      calls: [() => import('./ledger/orphans.js')],
    },
    ledger: {
      about: 'how many credits each account has, and whether all of it is right',
      calls: [
        () => import('./ledger/audit-ledger.js'),
        () => import('./ledger/export-ledger.js'),
        () => import('./ledger/show-ledger.js'),
      ],
    },
    operations: {
      about: 'what can be dispatched, and what it costs',
      calls: [() => import('./operations/operations.js')],
    },
    presets: {
      about: 'models, backgrounds and shots to choose from',
      calls: [() => import('./presets/presets.js')],
    },
    catalog: {
      about: "what tenants' jobs have made for use in further pictures",
      calls: [() => import('./catalog/catalog.js')],
    },
    projections: {
      about: 'read models: how far they are, and rebuilding them from the history',
      calls: [
        () => import('./projections/list-projections.js'),
        () => import('./projections/rebuild-projections.js'),
      ],
    },
    parked: {
      about: 'streams that a read model does not follow, because it cannot fold one of their events',
      calls: [() => import('./projections/parked.js')],
    },
    alerts: {
      about: 'messages to operators about what Now shows',
      calls: [() => import('./alerts/alerts.calls.js')],
    },
    now: {
      about: 'is anyone waiting, and why: all that matters at this moment',
      calls: [() => import('./now/now.js')],
    },
    status: {
      about: 'how far read models, process managers, render queues and seals are',
      calls: [() => import('./health/status.js')],
    },
    processes: {
      about: 'process managers, which act on the log',
      calls: [() => import('./health/status.js')],
    },
    events: {
      about: 'the log, as it is stored',
      calls: [() => import('./events/events.js')],
      verbs: async () => (await import('./events/log-verbs.js')).addLogVerbs,
    },
    checkpoints: {
      about: 'how far read models and process managers have handled the log',
      calls: [],
      verbs: async () => (await import('./events/log-verbs.js')).addCheckpointVerbs,
    },
    objects: {
      about: 'the bytes of pictures',
      calls: [() => import('./objects/audit-objects.js'), () => import('./objects/accept-loss.js')],
    },
    replay: {
      about: 'the state that a stream folds into, after each of its events',
      calls: [() => import('./replay/replay-stream.js')],
    },
  },
};
