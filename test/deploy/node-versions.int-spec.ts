import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

// It brings no types.
const { subset, minVersion } = createRequire(import.meta.url)('semver') as {
  subset(range: string, of: string): boolean;
  minVersion(range: string): { readonly major: number };
};

interface LockedPackage {
  readonly engines?: { readonly node?: string };
  readonly cpu?: readonly string[];
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const { engines } = readJson('package.json') as { engines: { node: string } };
const { packages } = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
/** PostgreSQL is packaged only for these CPUs, so packages for other CPUs are never installed. */
const ourCpus = ['x64', 'arm64'];

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
