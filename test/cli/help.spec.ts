import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { runCommand } from '../support/command.js';

it('`--help` marks the options that must be given, and no other', async () => {
  const { code, stdout } = await runCommand(['credits', 'grant', '--help'], tmpdir());
  expect(code).toBe(0);
  // One line an option, however it was wrapped.
  const options = stdout.replace(/\n {10,}/g, ' ').match(/^ {2}-.*$/gm) ?? [];
  const required = options.filter((line) => line.includes('(required)'));
  expect(required.map((line) => /--[a-z-]+/.exec(line)?.[0])).toEqual([
    '--tenant',
    '--env',
    '--amount',
    '--kind',
    '--label',
  ]);
  expect(options.length).toBeGreaterThan(required.length);
});
