import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Ended {
  readonly code: unknown;
  readonly out: string;
}

/** If a command starts its work instead of reading its options, it is killed, and its code differs. */
function run(main: string, option: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(process.cwd(), main), option],
      { timeout: 180_000 },
      (error, stdout, stderr) =>
        resolve({ code: error ? (error.code ?? error.signal) : 0, out: stdout + stderr }),
    );
  });
}

describe.each([
  [
    'simulate',
    'dist/test/simulation/main.js',
    ['--seeds', '--from', '--seed', '--path', '--bug', '--threads'],
  ],
  ['campaign', 'dist/test/crash/campaign/main.js', ['--rounds', '--store', '--seed']],
  ['attack', 'dist/test/attacks/main.js', ['readers, bodies, guesses']],
  ['bench', 'dist/test/bench/main.js', ['dispatch, levels, paced']],
  ['test:upgrade', 'dist/test/deploy/upgrade/main.js', ['<commit>']],
  ['contact-sheet', 'dist/test/journeys/contact-sheet.js', ['--help']],
  ['mutate', 'scripts/mutation/main.mjs', ['--seed', '--mutants', '--only']],
])('npm run %s', (name, main, options) => {
  it.concurrent.each([['--help'], ['--bogus']])('lists its options for %s', async (option) => {
    const { code, out } = await run(main, option);
    expect({ code, out }).toMatchObject({ code: option === '--help' ? 0 : 2 });
    expect(out).toContain(`Usage: npm run ${name} --`);
    for (const each of options) expect(out).toContain(each);
    expect(out).not.toMatch(/^\s+at /m);
  });
});
