/*
 * Completes a folder with the files of a release: `node scripts/release-files.mjs FOLDER`. It adds the manifests, what the
 * service ships (SBOM and licences), where the files come from, and their checksums. `.ci/release` runs it last.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [given] = process.argv.slice(2);
if (!given) {
  console.error('node scripts/release-files.mjs FOLDER');
  process.exit(2);
}
const folder = resolve(given);
const top = join(import.meta.dirname, '..');
const lock = join(top, 'package-lock.json');
const run = (command, ...args) =>
  execFileSync(command, args, { cwd: top, encoding: 'utf8', maxBuffer: 2 ** 28 }).trim();
const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
const { name, version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'));
const write = (file, text) => writeFileSync(join(folder, file), text);

const manifests = join(folder, `${name}-deploy-${version}.tar.gz`);
const archived = ['docker-compose.yml', 'deploy', 'assets/models.schema.json'];
run('git', 'archive', `--prefix=${name}-${version}/`, `--output=${manifests}`, 'HEAD', ...archived);

const shippedPackages = inProduction();
write('sbom.cdx.json', `${JSON.stringify(sbom(), null, 2)}\n`);
write('licences.txt', licences());

const shipped = readdirSync(folder).filter((file) => !/^(?:SHA256SUMS|provenance\.json)$/.test(file));
const digests = shipped
  .toSorted()
  .map((file) => ({ name: file, digest: { sha256: sha256(join(folder, file)) } }));
write('provenance.json', `${JSON.stringify(provenance(), null, 2)}\n`);
const all = [
  ...digests,
  { name: 'provenance.json', digest: { sha256: sha256(join(folder, 'provenance.json')) } },
];
write('SHA256SUMS', all.map(({ name: file, digest }) => `${digest.sha256}  ${file}\n`).join(''));

/**
 * The packages that production installs, by the lock file. `npm sbom --omit=dev` leaves out those that a
 * development dependency needs as well, such as `pg`.
 */
function inProduction() {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
  const marker = 'node_modules/';
  return Object.entries(packages)
    .filter(([path, { dev, devOptional, link }]) => path.includes(marker) && !dev && !devOptional && !link)
    .map(([path, entry]) => ({
      ...entry,
      path,
      name: path.slice(path.lastIndexOf(marker) + marker.length),
    }));
}

/** All of them as CycloneDX 1.5. A package that is installed in two places is listed once. */
function sbom() {
  const component = (type, called, at, license, more) => ({
    type,
    'bom-ref': `${called}@${at}`,
    name: called,
    version: at,
    purl: `pkg:npm/${called.replace('@', '%40')}@${at}`,
    licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
    ...more,
  });
  const components = shippedPackages.map(({ name: called, version: at, license, integrity }) => {
    const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    return component('library', called, at, license, { hashes: [{ alg: 'SHA-512', content }] });
  });
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: component('application', name, version, 'MIT') },
    components: [...new Map(components.map((each) => [each['bom-ref'], each])).values()],
  };
}

/** The licence of each package in its own words. Packages for other platforms are not installed here. */
function licences() {
  const texts = shippedPackages.flatMap(({ path, name: called, version: at, license }) => {
    const here = join(top, path);
    if (!existsSync(here)) return [];
    const words = readdirSync(here)
      .filter((file) => /^(?:licen[cs]e|copying|notice)(?!.*\.[cm]?[jt]s$)/i.test(file))
      .map((file) => readFileSync(join(here, file), 'utf8').trim());
    return [`${called}@${at} (${license})`, ...words].join('\n\n');
  });
  return `${texts.join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

/** An unsigned statement (in-toto 1, SLSA provenance 1): these files were made from this commit by this script. */
function provenance() {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: digests,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://slsa.dev/spec/v1.0/provenance#script',
        externalParameters: { version, script: '.ci/release' },
        internalParameters: { node: process.version, npm: run('npm', '--version') },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: run('git', 'rev-parse', 'HEAD') } },
          { name: 'package-lock.json', digest: { sha256: sha256(lock) } },
        ],
      },
      runDetails: { builder: { id: '.ci/release' }, metadata: { finishedOn: new Date().toISOString() } },
    },
  };
}
