// Before the package is packed: takes the files of an installation out of this repository, so that none of them is kept twice.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const top = join(import.meta.dirname, '..', '..');
const dist = join(import.meta.dirname, 'dist');
const files = [
  'deploy/Caddyfile',
  'deploy/env.example',
  'deploy/keys/README.md',
  'deploy/make-certificates.sh',
  'deploy/models/models.yaml',
];

rmSync(dist, { recursive: true, force: true });
for (const file of files) {
  const target = join(dist, 'files', file);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(top, file), target);
}
writeFileSync(join(dist, 'files', 'docker-compose.yml'), withoutSource());
cpSync(join(import.meta.dirname, 'src', 'folder-readme.md'), join(dist, 'README.md'));

await build({
  stdin: {
    contents: `export { newHomeCertificate } from './capabilities/provenance/home-certificate.ts';
export { newSealKey } from './capabilities/seals/seal.key.ts';`,
    resolveDir: top,
  },
  outfile: join(dist, 'keys.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});

/** The Compose file for a folder without the source: the image is there already, and is never looked for elsewhere. */
function withoutSource() {
  const compose = readFileSync(join(top, 'docker-compose.yml'), 'utf8');
  const built = /^ {2}build: \.\n( {2}image: atelier:\S+\n) {2}#.*\n {2}pull_policy: build\n/m;
  if (!built.test(compose)) throw new Error('docker-compose.yml builds its image in another way now');
  return compose.replace(
    built,
    '$1  # Built from the source of this release, see README.md. No registry is asked for it.\n  pull_policy: never\n',
  );
}
