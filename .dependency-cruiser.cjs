// Which way the arrows of this repository go: apps → application → domain; projections → domain events; adapters are
// wired in apps only. Specs are exempt where a rule is about what runs in production.
const spec =
  '(?:[.](?:spec|int-spec|e2e-spec|fixture|conformance)[.]ts|^(?:apps|libs|packages|projections)/.+/testing/.+|^capabilities/[^/]+/test/.+)$';
const libraries = (names) => `^libs/(?:${names})/`;

/** The ports of the application that adapters serve. */
const ports =
  '^libs/application/src/(?:read-models|consistency/read-your-writes|dispatch/idempotency|limits/rate-limit-store)[.]ts$';

/** What a capability may import of the kernel. Behind them, the kernel may change as it likes. */
const entryPoints = [
  // Events and how they are stored.
  '^libs/domain/src/(?:data-subject|decision|environment|erased|event-family|kept-for|events|stored-events|streams)[.]ts$',
  '^libs/domain/src/.+[.]events[.]ts$',
  '^libs/domain/src/account/account[.]ts$',
  // Writing: load, decide, append; and the accounts.
  '^libs/application/src/(?:aggregate|command-context|follow-log|stream-command[.]handler|stream-commands[.]module)[.]ts$',
  '^libs/application/src/job/job-writes[.]handler[.]ts$',
  '^libs/application/src/account/(?:account-writer|account[.]module|charges[.]handler|manage-accounts[.]handler)[.]ts$',
  '^libs/application/src/(?:key/manage-keys[.]handler|picture/(?:reuse-check|stored-pictures))[.]ts$',
  '^libs/application/src/consistency/(?:consistency[.]module|read-your-writes)[.]ts$',
  '^libs/application/src/dispatch/(?:dispatch-check|idempotency)[.]ts$',
  '^libs/application/src/(?:erasure/[^/]+|notice/[^/]+|read-models|render/(?:finished-pictures|render-keys))[.]ts$',
  '^libs/application/src/process-managers/(?:delivered-event|process-manager)[.]ts$',
  // Ports, what is theirs in every role, and fields of requests.
  '^libs/event-store/src/(?:event-store|named-key|own-events|snapshots|walk-log|word-erasure)[.]ts$',
  '^libs/read-store/src/(?:consumer-errors|data-source|database|erases-words|projected-event|read-model|rows-as-of|signs-of-life)[.]ts$',
  '^libs/storage/src/object-storage[.]ts$',
  '^projections/src/(?:ledger/ledger[.]reader|readers-of)[.]ts$',
  '^libs/render-queue/src/render-queue[.]ts$',
  '^libs/adapters/src/(?:object-storage|platform)[.]module[.]ts$',
  '^libs/platform/src/[^/]+[.]ts$',
  '^libs/validation/src/[^/]+[.]ts$',
  '^libs/workflows/src/workflows[.]ts$',
  // Routes of integrators.
  '^apps/api/src/auth/(?:api-key[.]guard|caller)[.]ts$',
  '^apps/api/src/http/(?:api-error|consistency-token|describe|preferred-type|request-body|valid-request|vocabulary)[.]ts$',
  '^apps/api/src/dispatch/dispatch-headers[.]ts$',
  '^apps/api/src/uploads/(?:decode-picture|spooled-upload)[.]ts$',
  // Engines.
  '^packages/engine/src/',
  // Calls of operators, and who may make them.
  '^libs/application/src/(?:key/api-key|limits/attempts)[.]ts$',
  '^libs/operator-calls/src/[^/]+[.]ts$',
];

/**
 * What operators do, reads, repairs and judges most of the kernel: the capability `operate` may also import this. It is
 * built from the kernel's sources, and changes with them.
 */
const operatedPoints = [
  // Folds and decisions, whose streams it shows.
  '^libs/domain/src/(?:event-families|[^/]+/[^/]+)[.]ts$',
  // Commands and their modules, and process managers that it runs by hand.
  '^libs/application/src/.+[.](?:handler|module)[.]ts$',
  '^libs/application/src/(?:dispatch/dispatched-jobs|job/job-queries|read-models)[.]ts$',
  '^libs/application/src/(?:operation/operations|seals/kept-heads)[.]ts$',
  '^libs/application/src/process-managers/(?:orphan-sweep|process-managers|stranded-jobs)[.]ts$',
  // The log below its port: proofs, seals, copies. Of the adapters it knows the tables of PostgreSQL only.
  '^libs/event-store/src/(?:[^/]+|authentic/[^/]+|seals/[^/]+|postgres/schema)[.]ts$',
  // Read models with their tables and checkpoints, which it rebuilds.
  '^libs/read-store/src/[^/]+[.]ts$',
  '^projections/src/',
  // Queues, pictures and wiring, as a role has them.
  '^libs/(?:render-queue|storage|adapters)/src/[^/]+[.]ts$',
  '^libs/workflows/src/workflows[.]ts$',
  '^packages/engine/src/image-engine[.]ts$',
];

const vendors = require('./packages/vendors/package.json');

/** What the build bundles of TensorFlow.js. */
const tensorflow = '^packages/photo/src/tensorflow[.]ts$';

/** A package, wherever it is installed, and also when it is not: it then goes by its bare name. */
const packages = (names) => [`(?:^|/)node_modules/(?:@types/)?(?:${names})(?:/|$)`, `^(?:${names})(?:/|$)`];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Two files that need each other are one file, or miss a third. The list of capabilities is read by the domain and names all of their code, behind import(): declarations-are-data keeps it from being a cycle when modules load.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { pathNot: '^capabilities/installed[.]ts$' } },
    },
    {
      name: 'declarations-are-data',
      comment:
        'Every process reads the declarations, before anything else: they load data only, and name code behind import().',
      severity: 'error',
      from: { path: ['^capabilities/installed[.]ts$', '[.](?:capability|families)[.]ts$'] },
      to: {
        dependencyTypesNot: ['type-only', 'dynamic-import'],
        pathNot: [
          '[.](?:capability|families)[.]ts$',
          '^capabilities/[^/]+/[^/]+[.](?:events|follows|key|notice|task|settings)[.]ts$',
        ],
      },
    },
    {
      name: 'declared-data-loads-nothing',
      comment: 'Data of a declaration must not import code, which would import the declaration again.',
      severity: 'error',
      from: { path: '^capabilities/[^/]+/[^/]+[.](?:events|follows|key|notice|task|settings)[.]ts$' },
      to: {
        dependencyTypesNot: ['type-only', 'core'],
        pathNot: [
          '^capabilities/[^/]+/[^/]+[.](?:events|follows|key|notice|task|settings)[.]ts$',
          // These import nothing.
          '^libs/domain/src/(?:erased|kept-for)[.]ts$',
        ],
      },
    },
    {
      name: 'everything-resolves',
      comment: 'An import without a target breaks at run time.',
      severity: 'error',
      from: {},
      // Modules that the build generates have no file.
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
    {
      name: 'kernel-knows-the-list-only',
      comment: 'The kernel compiles, runs and audits without any capability: it loops over the list of them.',
      severity: 'error',
      from: { path: '^(?:apps|libs|packages|projections)/', pathNot: spec },
      to: { path: '^capabilities/', pathNot: '^capabilities/(?:capability|installed|parts)[.]ts$' },
    },
    {
      name: 'capabilities-stand-alone',
      comment: 'Each can be taken out without the others.',
      severity: 'error',
      from: { path: '^capabilities/([^/]+)/' },
      to: { path: '^capabilities/[^/]+/', pathNot: '^capabilities/$1/' },
    },
    {
      name: 'capabilities-see-entry-points',
      comment:
        'The list names what a capability may import of the kernel. The rest may change without a look at capabilities.',
      severity: 'error',
      from: { path: '^capabilities/[^/]+/', pathNot: ['^capabilities/operate/', spec] },
      to: {
        path: '^(?:apps|libs|packages|projections)/',
        // A package of one capability alone.
        pathNot: [...entryPoints, '^packages/vendors/'],
      },
    },
    {
      name: 'operate-sees-what-it-operates',
      comment:
        'No role, no adapter but one table, no workflow from within: operators see the service from its side.',
      severity: 'error',
      from: { path: '^capabilities/operate/', pathNot: spec },
      to: {
        path: '^(?:apps|libs|packages|projections)/',
        pathNot: [...entryPoints.filter((each) => !each.startsWith('^apps/')), ...operatedPoints],
      },
    },
    {
      name: 'no-orphans',
      comment: 'A file that imports no file and that no file imports is not part of the program.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [spec, '[.]d[.]ts$', '^apps/(?:[^/]+/src|console/src/[^/]+)/main[.]ts$'],
      },
      to: {},
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain imports nothing outside itself: no library, no clock, not even a Node built-in.',
      severity: 'error',
      from: { path: '^libs/domain/', pathNot: [spec, '^libs/domain/src/event-families[.]ts$'] },
      to: { pathNot: '^libs/domain/' },
    },
    {
      name: 'application-sees-ports-only',
      comment: 'The wiring of an app chooses the store, queue, bucket and engine.',
      severity: 'error',
      from: { path: '^libs/application/', pathNot: spec },
      to: {
        path: [
          '^libs/event-store/src/(?:postgres|eventstoredb)/',
          '^libs/storage/src/(?:folder|s3)/',
          '^libs/render-queue/src/[^/]*pg-boss',
          '^packages/sketch/',
          '^libs/read-store/',
          '^projections/src/(?!.+[.]read-model[.]ts$)',
          ...packages('typeorm|pg|pg-boss|@eventstore|@aws-sdk|sharp|fastify|@fastify|@nestjs/typeorm'),
        ],
      },
    },
    {
      name: 'application-takes-rows-as-types',
      comment:
        'A read model declares its rows once. Ports of the application name its type, but the application never runs it.',
      severity: 'error',
      from: { path: '^libs/application/', pathNot: spec },
      to: { path: '^projections/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'libraries-do-not-import-apps',
      comment: 'Apps are the outermost ring.',
      severity: 'error',
      from: { path: '^(?:libs|projections)/', pathNot: spec },
      to: { path: '^(?:apps|test)/' },
    },
    {
      name: 'only-apps-choose-adapters',
      comment: 'The wiring of a process chooses the modules that bind ports to adapters.',
      severity: 'error',
      from: { path: '^(?:libs|projections)/', pathNot: [spec, '^libs/adapters/'] },
      to: { path: '^libs/adapters/' },
    },
    {
      name: 'apps-stand-alone',
      comment: 'Apps share code through libraries only, so that each can be deployed without the others.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'ports-know-no-users',
      comment:
        'Platform, ports and adapters serve the application; they do not call it. An adapter imports the port that it serves.',
      severity: 'error',
      from: {
        path: libraries('platform|validation|event-store|storage|render-queue|read-store'),
        pathNot: spec,
      },
      to: { path: ['^libs/application/', '^projections/'], pathNot: ports },
    },
    {
      name: 'packages-know-no-service',
      comment: 'A package can be taken out of this repository: it imports packages only.',
      severity: 'error',
      from: { path: '^(?:packages|clients)/', pathNot: spec },
      to: { path: '^(?:apps|capabilities|libs|projections|test)/' },
    },
    {
      name: 'sketch-knows-port-and-people-only',
      comment:
        'What the sketch engine needs to know of an order, the port says; who is on a photograph, the reading of photo.',
      severity: 'error',
      from: { path: '^packages/sketch/', pathNot: spec },
      to: {
        pathNot: [
          '^packages/(?:sketch|engine)/src/',
          '^packages/photo/src/person[.]ts$',
          ...packages('sharp'),
          '^node:',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'vendors-know-the-port-only',
      comment: 'A vendor knows briefs, and no workflow.',
      severity: 'error',
      from: { path: '^packages/vendors/', pathNot: spec },
      to: {
        pathNot: [
          '^packages/(?:vendors|engine)/src/',
          ...packages(Object.keys(vendors.dependencies).join('|')),
          '^node:',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'photo-knows-the-port-only',
      comment: 'The grounds that it sets people into are handed to it.',
      severity: 'error',
      from: { path: '^packages/photo/src/', pathNot: spec },
      to: {
        pathNot: ['^packages/(?:photo|engine)/src/', ...packages('sharp|@tensorflow'), '^node:'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'models-load-with-the-first-photograph',
      comment: 'TensorFlow.js and the weights take time and memory that a process at rest does not need.',
      severity: 'error',
      from: { pathNot: tensorflow },
      to: {
        path: [...packages('@tensorflow'), tensorflow],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'one-place-wires-engines',
      comment: 'Everything else sees the port: the kernel draws with the sandbox alone.',
      severity: 'error',
      from: {
        pathNot: ['^packages/(?:sketch|photo)/', '^libs/adapters/src/engines[.]module[.]ts$', '^test/', spec],
      },
      to: { path: '^packages/(?:sketch|photo)/' },
    },
    {
      name: 'one-capability-asks-vendors',
      comment: 'Without it, the service knows no vendor.',
      severity: 'error',
      from: { pathNot: ['^packages/vendors/', '^capabilities/vendors/'] },
      to: { path: '^packages/vendors/' },
    },
    {
      name: 'workflows-are-declarations',
      comment:
        'What a workflow is depends on no use case and no adapter: the application and the API follow from it. Its brief is in the words of the engine port.',
      severity: 'error',
      from: { path: '^libs/workflows/', pathNot: spec },
      to: {
        path: '^(?:apps|libs|projections|packages)/',
        pathNot: ['^libs/(?:workflows|validation|domain|platform)/', '^packages/engine/'],
      },
    },
    {
      name: 'controllers-ask-the-bus',
      comment: 'A controller maps HTTP to commands and queries; it never sees the database.',
      severity: 'error',
      from: { path: '[.]controller[.]ts$' },
      to: { path: [...packages('typeorm|@nestjs/typeorm|pg'), '^libs/read-store/'] },
    },
    {
      name: 'one-library-sees-eventstoredb',
      comment:
        'The client of EventStoreDB is an adapter detail. The peer of its tests speaks by its stubs, a bench compares with it.',
      severity: 'error',
      from: {
        pathNot: ['^libs/event-store/', '^test/eventstoredb/peer/', '^test/bench/eventstoredb\\.bench'],
      },
      to: { path: packages('@eventstore/db-client') },
    },
    {
      name: 'eventstoredb-loads-where-it-is-used',
      comment: 'Its client takes 60 ms to load, also in a verb of the command beside PostgreSQL.',
      severity: 'error',
      from: { path: '^(?:apps|capabilities|libs)/', pathNot: [spec, '^libs/event-store/src/eventstoredb/'] },
      to: { path: '^libs/event-store/src/eventstoredb/(?!connection-string)', dynamic: false },
    },
    {
      name: 'the-api-describes-itself',
      comment:
        'Swagger takes a quarter of a second to load: fields are declared without it, and described in the API.',
      severity: 'error',
      from: { path: '^(?:apps|capabilities/operate|libs|projections)/', pathNot: [spec, '^apps/api/'] },
      to: { path: packages('@nestjs/swagger') },
    },
    {
      name: 'one-library-sees-pg-boss',
      comment: 'The render queue is a port; pg-boss is what is behind it.',
      severity: 'error',
      from: { pathNot: '^libs/render-queue/' },
      to: { path: packages('pg-boss') },
    },
    {
      name: 'projections-fold-domain-events',
      comment:
        'A read model knows the domain events, its table, and nothing else: that is what makes it rebuildable. Its reader knows the port that it serves.',
      severity: 'error',
      from: { path: '^projections/', pathNot: spec },
      to: {
        pathNot: [
          '^projections/',
          '^libs/domain/',
          '^libs/read-store/',
          ports,
          ...packages('typeorm'),
          // The list of read models has those of capabilities, too.
          '^capabilities/parts[.]ts$',
        ],
      },
    },
    {
      name: 'read-models-of-capabilities-fold-only',
      comment:
        'A read model of a capability is one like those of the kernel. The list of all read models waits for it, so it must not import code that waits for the list.',
      severity: 'error',
      from: { path: '^capabilities/.+[.]read-model[.]ts$' },
      to: {
        dependencyTypesNot: ['type-only'],
        pathNot: ['^capabilities/.+[.](?:events|read-model|value)[.]ts$', ...packages('typeorm')],
      },
    },
    {
      name: 'audit-judges-by-itself',
      comment:
        'The audit holds money against a model of its own: of the code that it judges it imports the formats only. Folds of read models are handed in, for the columns that it has no model of.',
      severity: 'error',
      from: { path: '^capabilities/operate/audit/', pathNot: spec },
      to: {
        path: [
          '^capabilities/operate/(?!audit/)',
          '^projections/',
          '^libs/(?:application|read-store|workflows|validation)/',
          '^libs/domain/',
        ],
        pathNot: [
          '^libs/domain/src/.+[.]events[.]ts$',
          '^libs/domain/src/(?:events|event-families|streams|stored-events)[.]ts$',
        ],
      },
    },
    {
      name: 'production-without-dev-dependencies',
      comment: 'An installation for production has no devDependencies.',
      severity: 'error',
      from: {
        path: '^(?:apps|capabilities|libs|packages|projections)/',
        // What reads the sources to describe answers is run where the sources are; the console and packages are
        // bundled there.
        pathNot: [
          spec,
          '^capabilities/operate/server/result-schemas[.]ts$',
          '^apps/console/',
          '^packages/(?:create-atelier|photo)/build[.]mjs$',
          tensorflow,
        ],
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'dependencies-are-declared',
      comment:
        'A package that only comes along with another one can leave with it. Its types are the exception.',
      severity: 'error',
      from: {},
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'production-without-tests',
      comment: 'Specs are not built, so built files cannot import them.',
      severity: 'error',
      from: { pathNot: [spec, '^test/'] },
      to: { path: [spec, '^test/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What was built from the packages, beside their sources.
    exclude: { path: '^(?:packages|clients)/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      // The `types` branch of package.json's imports leads to the sources, the default one to what was built.
      conditionNames: ['atelier-source', 'types', 'import', 'node', 'default'],
    },
  },
};
