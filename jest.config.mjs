const libraries = 'domain|event-store|application|read-store|engines|storage|platform|render-queue|audit';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/scripts/jest-environment.mjs',
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.atelier/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.atelier/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    [`^#(${libraries})/(.*)\\.js$`]: '<rootDir>/libs/$1/src/$2.ts',
    '^#projections/(.*)\\.js$': '<rootDir>/projections/src/$1.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 30_000,
  maxWorkers: 2,
};
