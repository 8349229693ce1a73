import { readFileSync } from 'node:fs';

const swc = JSON.parse(readFileSync(new URL('../../.swcrc', import.meta.url), 'utf8'));

/** @type {import('jest').Config} */
export default {
  testEnvironment: '../../scripts/jest-environment.mjs',
  // The port is tested from its sources, too.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testTimeout: 120_000,
  maxWorkers: 2,
};
