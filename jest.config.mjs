const libraries =
  'domain|event-store|application|adapters|read-store|storage|platform|render-queue|audit|validation|workflows';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/scripts/jest-environment.mjs',
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.atelier/'],
  modulePathIgnorePatterns: ['<rootDir>/(?:packages/[^/]+/)?dist/', '<rootDir>/.atelier/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    [`^#(${libraries})/(.*)\\.js$`]: '<rootDir>/libs/$1/src/$2.ts',
    '^@atelier/engine$': '<rootDir>/packages/engine/src/image-engine.ts',
    '^@atelier/sketch$': '<rootDir>/packages/sketch/src/sketch-engine.ts',
    '^@atelier/(engine|sketch)/(.*)$': '<rootDir>/packages/$1/src/$2.ts',
    '^#projections/(.*)\\.js$': '<rootDir>/projections/src/$1.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Only used up when something is broken: a busy machine may need a multiple of the usual.
  testTimeout: 120_000,
  maxWorkers: 2,
};
