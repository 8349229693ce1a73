const libraries =
  'domain|event-store|application|adapters|read-store|storage|platform|render-queue|audit|validation|workflows';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/scripts/jest-environment.mjs',
  // Packages are tested from their sources.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  // The own specs of these engines look at pixels for minutes: `npm run test:pixels`.
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.atelier/', '<rootDir>/packages/(?:sketch|photo)/'],
  modulePathIgnorePatterns: ['<rootDir>/(?:(?:packages|clients)/[^/]+/)?dist/', '<rootDir>/.atelier/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    [`^#(${libraries})/(.*)\\.js$`]: '<rootDir>/libs/$1/src/$2.ts',
    '^#projections/(.*)\\.js$': '<rootDir>/projections/src/$1.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Its sources are offered as well, which nothing here compiles.
    '^eventsource-parser$': '<rootDir>/node_modules/eventsource-parser/dist/index.js',
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Only used up when something is broken: a busy machine may need a multiple of the usual.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/scripts/jest-sequencer.mjs',
  // One more than the processors of a small machine: a part of the time each waits for a process, a lease or a disk.
  maxWorkers: 3,
};
