import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

// It brings no types.
const { satisfies, subset, minVersion } = createRequire(import.meta.url)('semver') as {
  satisfies(version: string, range: string): boolean;
  subset(range: string, of: string): boolean;
  minVersion(range: string): { readonly major: number };
};

interface LockedPackage {
  readonly version?: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly engines?: { readonly node?: string };
  readonly cpu?: readonly string[];
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const { engines } = readJson('package.json') as { engines: { node: string } };
const { packages } = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
/** PostgreSQL is packaged only for these CPUs, so packages for other CPUs are never installed. */
const ourCpus = ['x64', 'arm64'];

/** The locked package that `name` means below `path`: the nearest one on the way to the top. */
function nearest(path: string, name: string): LockedPackage | undefined {
  for (let folder = path; ; folder = folder.replace(/(?:^|\/)node_modules\/(?!.*\bnode_modules\/).*$/, '')) {
    const found = packages[join(folder, 'node_modules', name)];
    if (found || folder === '') return found;
    if (!folder.includes('node_modules')) folder = '';
  }
}

describe('peer dependencies, which npm does not check here', () => {
  /** It takes an older compiler by its word, and works with ours: the build makes two sets of types with it. */
  const known = ['node_modules/openapi-typescript asks for typescript ^5.x: 6.0.3'];

  it('are all there, in a version that the package takes', () => {
    const asked = Object.entries(packages).flatMap(([path, { peerDependencies = {}, ...locked }]) =>
      Object.entries(peerDependencies).flatMap(([name, range]) => {
        const found = nearest(path, name);
        if (!found)
          return locked.peerDependenciesMeta?.[name]?.optional ? [] : [{ path, name, range, version: '' }];
        return [{ path, name, range, version: found.version ?? '' }];
      }),
    );
    expect(asked.length).toBeGreaterThan(30);
    const unmet = asked
      .filter(({ version, range }) => !satisfies(version, range))
      .map(({ path, name, range, version }) => `${path} asks for ${name} ${range}: ${version || 'none'}`);
    expect(unmet).toEqual(known);
  });
});

describe('the Node that package.json promises', () => {
  it('is one that all locked packages run on', () => {
    const others = Object.entries(packages)
      .filter(([, { cpu }]) => cpu === undefined || cpu.some((each) => ourCpus.includes(each)))
      .filter(([, locked]) => !subset(engines.node, locked.engines?.node ?? '*'))
      .map(([path, locked]) => `${path}: ${locked.engines?.node}`);
    expect(others).toEqual([]);
  });

  it('is what the lock file says', () => {
    expect(packages['']?.engines).toEqual(engines);
  });

  it.each([
    'apps/api/src/main.js',
    'apps/worker/src/main.js',
    'apps/projector/src/main.js',
    'capabilities/operate/main.js',
    'capabilities/operate/server/main.js',
    'apps/standalone/src/main.js',
    'apps/standalone/src/demo.js',
  ])('is asked for by %s, which refuses an older one', (main) => {
    const older = `v${minVersion(engines.node).major - 1}.99.0`;
    const pretend = `Object.defineProperty(process, 'version', { value: '${older}' })`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, `dist/${main}`],
      { encoding: 'utf8' },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^Atelier runs on Node .* this is ${older}\\. .*\\n$`)),
    });
  });
});
