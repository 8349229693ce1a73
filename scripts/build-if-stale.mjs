// Compiles the sources when they are newer than the last build. A build only adds or replaces files in dist/,
// so processes that run from it are not disturbed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'dist', '.built');

function newest(directory) {
  let latest = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const startedAt = new Date();
const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'src'));
const sources = [
  'apps',
  'capabilities',
  'libs',
  'projections',
  'test',
  'clients/typescript/src',
  ...packages,
];
if (sources.some((folder) => newest(join(root, folder)) > built)) {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
}
