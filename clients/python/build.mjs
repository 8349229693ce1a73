/*
 * Builds the wheel and the source package: `node clients/python/build.mjs FOLDER`. It needs a Python with
 * setuptools and wheel, and no network.
 *
 * The same sources give the same wheel, byte for byte: they are copied to an empty folder with fixed modes and
 * times, and SOURCE_DATE_EPOCH fixes the times inside the archive.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const shipped = ['LICENSE', 'README.md', 'pyproject.toml', 'src/atelier/*.py', 'src/atelier/py.typed'];
// 1 January 2020. Archives of ZIP know no time before 1980.
const time = 1_577_836_800;

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('node clients/python/build.mjs FOLDER');
  process.exit(2);
}
const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import setuptools, wheel']).status === 0,
);
if (!python) {
  console.error('No python3 has setuptools and wheel: apt-get install python3-setuptools python3-wheel');
  process.exit(1);
}

process.umask(0o022);
const sources = mkdtempSync(join(tmpdir(), 'atelier-python-'));
try {
  for (const file of globSync(shipped, { cwd: import.meta.dirname })) {
    const copy = join(sources, file);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(import.meta.dirname, file), copy);
    chmodSync(copy, 0o644);
    utimesSync(copy, time, time);
  }
  const target = resolve(folder);
  mkdirSync(target, { recursive: true });
  // The hooks that every front end calls (PEP 517), without a front end, which would want a registry.
  for (const hook of ['build_wheel', 'build_sdist'])
    execFileSync(
      python,
      ['-c', `from setuptools import build_meta; build_meta.${hook}(${JSON.stringify(target)})`],
      {
        cwd: sources,
        env: { ...process.env, SOURCE_DATE_EPOCH: String(time), PYTHONWARNINGS: 'ignore' },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
  console.log(globSync('atelier-*.{whl,tar.gz}', { cwd: target }).join('\n'));
} finally {
  rmSync(sources, { recursive: true });
}
