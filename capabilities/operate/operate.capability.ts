import type { Capability } from '../capability.js';

/**
 * Operators' tools for the service: the command `atelier`, the operators' API, and all calls of both, such as
 * the audit, rebuilds, copies of the log and its drill.
 */
export const operate: Capability<'operate', readonly []> = {
  name: 'operate',
  events: [],
  settings: () => ({}),
  modules: {},
  processManagers: [],
  housekeeping: [],
  queues: [],
  operatorsServer: new URL('./server/main.js', import.meta.url),
  nouns: {
    tenants: {
      about: 'the customers, and their accounts',
      calls: {
        'capabilities/operate/tenants/tenants.ts': () => import('./tenants/tenants.js'),
      },
    },
    credits: {
      about: 'what tenants may spend',
      calls: {
        'capabilities/operate/tenants/credits.ts': () => import('./tenants/credits.js'),
      },
    },
    keys: {
      about: 'API keys',
      calls: {
        'capabilities/operate/keys/keys.ts': () => import('./keys/keys.js'),
      },
    },
    actions: {
      about: 'what operators did: who, when, what, and how it ended',
      calls: {
        'capabilities/operate/actions/list-actions.ts': () => import('./actions/list-actions.js'),
      },
    },
    jobs: {
      about: 'what was dispatched, and what became of it',
      calls: {
        'capabilities/operate/jobs/jobs.ts': () => import('./jobs/jobs.js'),
        'capabilities/operate/jobs/repair-jobs.ts': () => import('./jobs/repair-jobs.js'),
        'capabilities/operate/jobs/rows-of-job.ts': () => import('./jobs/rows-of-job.js'),
        'capabilities/operate/jobs/stranded-jobs.ts': () => import('./jobs/stranded-jobs.js'),
        'capabilities/operate/pictures/pictures.ts': () => import('./pictures/pictures.js'),
      },
    },
    pictures: {
      about: 'what jobs have made',
      calls: {
        'capabilities/operate/pictures/pictures.ts': () => import('./pictures/pictures.js'),
      },
    },
    orphans: {
      about: 'open charges whose job never came, or has ended; the projector closes them by itself',
      calls: {
        'capabilities/operate/ledger/orphans.ts': () => import('./ledger/orphans.js'),
      },
    },
    ledger: {
      about: 'how many credits each account has, and whether all of it is right',
      calls: {
        'capabilities/operate/ledger/audit-ledger.ts': () => import('./ledger/audit-ledger.js'),
        'capabilities/operate/ledger/export-ledger.ts': () => import('./ledger/export-ledger.js'),
        'capabilities/operate/ledger/show-ledger.ts': () => import('./ledger/show-ledger.js'),
      },
    },
    operations: {
      about: 'what can be dispatched, and what it costs',
      calls: {
        'capabilities/operate/operations/operations.ts': () => import('./operations/operations.js'),
      },
    },
    presets: {
      about: 'models, backgrounds and shots to choose from',
      calls: {
        'capabilities/operate/presets/presets.ts': () => import('./presets/presets.js'),
      },
    },
    catalog: {
      about: "what tenants' jobs have made for use in further pictures",
      calls: {
        'capabilities/operate/catalog/catalog.ts': () => import('./catalog/catalog.js'),
      },
    },
    projections: {
      about: 'read models: how far they are, and rebuilding them from the history',
      calls: {
        'capabilities/operate/projections/list-projections.ts': () =>
          import('./projections/list-projections.js'),
        'capabilities/operate/projections/rebuild-projections.ts': () =>
          import('./projections/rebuild-projections.js'),
      },
    },
    parked: {
      about: 'streams that a read model does not follow, because it cannot fold one of their events',
      calls: {
        'capabilities/operate/projections/parked.ts': () => import('./projections/parked.js'),
      },
    },
    now: {
      about: 'is anyone waiting, and why: all that matters at this moment',
      calls: {
        'capabilities/operate/now/now.ts': () => import('./now/now.js'),
      },
    },
    status: {
      about: 'how far read models, process managers, render queues and seals are',
      calls: {
        'capabilities/operate/health/status.ts': () => import('./health/status.js'),
      },
    },
    processes: {
      about: 'process managers, which act on the log',
      calls: {
        'capabilities/operate/health/status.ts': () => import('./health/status.js'),
      },
    },
    events: {
      about: 'the log, as it is stored',
      calls: {
        'capabilities/operate/events/events.ts': () => import('./events/events.js'),
      },
      verbs: async () => (await import('./events/log-verbs.js')).addLogVerbs,
    },
    checkpoints: {
      about: 'how far read models and process managers have handled the log',
      calls: {},
      verbs: async () => (await import('./events/log-verbs.js')).addCheckpointVerbs,
    },
    objects: {
      about: 'the bytes of pictures',
      calls: {
        'capabilities/operate/objects/audit-objects.ts': () => import('./objects/audit-objects.js'),
        'capabilities/operate/objects/accept-loss.ts': () => import('./objects/accept-loss.js'),
      },
    },
    replay: {
      about: 'the state that a stream folds into, after each of its events',
      calls: {
        'capabilities/operate/replay/replay-stream.ts': () => import('./replay/replay-stream.js'),
      },
    },
  },
  folds: {},
  tags: [],
};
