import { transform } from '@swc/core';
import { defineConfig } from 'vitest/config';
import { FailedSpecs } from './scripts/failed-specs.mjs';
import { LongFilesFirst } from './scripts/long-files-first.mjs';

const include = {
  test: ['**/*.{spec,int-spec,e2e-spec}.ts'],
  // Processes die, hundreds of times.
  crash: ['{,capabilities/*/}test/crash/**/*.e2e-spec.ts'],
  // The own specs of these engines look at pixels for minutes.
  pixels: ['packages/{sketch,photo}/src/**/*.spec.ts'],
  // `npm run generate` writes their snapshots, which say what the code declares.
  snapshots: ['projections/src/read-models.spec.ts', 'libs/workflows/src/briefs.spec.ts'],
  // Asks real vendors, with the keys that are in the environment.
  vendors: ['**/*.live-spec.ts'],
};

// oxlint-disable-next-line import/no-default-export -- Vitest asks for a default export.
export default defineConfig(({ mode }) => ({
  plugins: [
    {
      // As the build does it, with the metadata of decorators.
      name: 'swc',
      enforce: 'pre',
      transform: (code, file) => (file.endsWith('.ts') ? transform(code, { filename: file }) : undefined),
    },
  ],
  oxc: false,
  resolve: {
    alias: [
      { find: /^#projections\/(.*)\.js$/, replacement: `${import.meta.dirname}/projections/src/$1.ts` },
      { find: /^#capabilities\/(.*)\.js$/, replacement: `${import.meta.dirname}/capabilities/$1.ts` },
      { find: /^#(api)\/(.*)\.js$/, replacement: `${import.meta.dirname}/apps/$1/src/$2.ts` },
      { find: /^#([\w-]+)\/(.*)\.js$/, replacement: `${import.meta.dirname}/libs/$1/src/$2.ts` },
    ],
  },
  test: {
    include: include[mode],
    exclude: [
      '**/{node_modules,dist,.atelier}/**',
      ...(mode === 'test' ? [...include.crash, ...include.pixels] : []),
    ],
    reporters: process.env.CI ? ['default', new FailedSpecs()] : ['default'],
    globalSetup: ['pixels', 'snapshots'].includes(mode) ? [] : ['test/support/global-setup.ts'],
    // Only broken tests take this long, but a busy machine may need a multiple of the usual time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Many files would spend most of their time on loading the libraries again.
    isolate: false,
    // Packages are loaded from their builds, because they may hold state that must exist only once.
    server: { deps: { external: [/\/(?:node_modules|dist)\//] } },
    sequence: { sequencer: LongFilesFirst },
    // One more than a small machine has processors, because each worker often waits for a process, a lease or a disk.
    // Four kept two processors busy all the time, and specs waited for each other.
    // Files of the crash mode start dozens of processes at a time, so they take turns.
    maxWorkers: mode === 'crash' ? 1 : 3,
  },
}));
