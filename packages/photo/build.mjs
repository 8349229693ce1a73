// Compiles the package, and bundles TensorFlow.js, which is a dependency of the build alone.
import { copyFileSync, globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import '../../scripts/compile.mjs';

await build({
  entryPoints: ['src/tensorflow.ts'],
  outfile: 'dist/tensorflow.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  // Its builds for Node are CommonJS, which find Node's modules and the WebAssembly by these.
  banner: {
    js: [
      "import { createRequire } from 'node:module';",
      'const require = createRequire(import.meta.url);',
      'const [__dirname, __filename] = [import.meta.dirname, import.meta.filename];',
    ].join('\n'),
  },
  legalComments: 'linked',
  logLevel: 'warning',
});
const backend = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));
for (const file of globSync(join(backend, '*.wasm'))) copyFileSync(file, join('dist', basename(file)));
