import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/*
 * `npm version 0.2.0` runs this after it has changed package.json, and before it commits and tags. It changes
 * the version in all other places, and turns the changelog's "Unreleased" into the release.
 */
const version = process.env.npm_new_version;
const before = process.env.npm_old_version;
if (!version || !before) throw new Error('run it by `npm version 1.2.3`');

const named = execFileSync(
  'git',
  [
    'grep',
    '-lF',
    before,
    '--',
    '*package.json',
    '*pyproject.toml',
    'docker-compose.yml',
    'deploy',
    'docs',
    '*.md',
  ],
  {
    encoding: 'utf8',
  },
)
  .trim()
  .split('\n')
  .filter((file) => file !== 'CHANGELOG.md' && !file.startsWith('docs/adr/'));
for (const file of named) {
  const text = readFileSync(file, 'utf8');
  // Matches only versions of Atelier: of its packages, of the image's tag, and of the clients' files.
  const ours = new RegExp(
    `("version": "|"@atelier/[\\w-]+": "|atelier:|newTag: |atelier-client-|atelier-|^version = ")${RegExp.escape(before)}`,
    'gm',
  );
  writeFileSync(file, text.replace(ours, `$1${version}`));
}

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const today = new Date().toISOString().slice(0, 10);
const cut = changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${today})\n`);
if (cut === changelog || /## Unreleased\n+## /.test(changelog))
  throw new Error('CHANGELOG.md has nothing under "## Unreleased"');
writeFileSync('CHANGELOG.md', cut);

execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
  stdio: 'inherit',
});
execFileSync('git', ['add', '--update'], { stdio: 'inherit' });
