import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runStandalone } from './support/atelier.js';
import { temporaryHome } from './support/home.js';
import { untilEnd } from '../support/until-end.js';

const home = untilEnd(temporaryHome());
writeFileSync(join(home.path, 'a-file'), '');
const taken = createServer().listen(0, '127.0.0.1');
await once(taken, 'listening');
afterAll(() => taken.close());
const takenPort = String((taken.address() as AddressInfo).port);

describe('npm start, where it cannot', () => {
  const cases: [what: string, env: () => NodeJS.ProcessEnv, says: RegExp][] = [
    ['the port is in use', () => ({ PORT: takenPort }), /port \d+ of 127\.0\.0\.1 is in use: .* set PORT/],
    [
      'the home is a file',
      () => ({ ATELIER_HOME: join(home.path, 'a-file') }),
      /is not a folder: set ATELIER_HOME/,
    ],
    [
      'the home is below a file',
      () => ({ ATELIER_HOME: join(home.path, 'a-file', 'home') }),
      /is not a folder: set ATELIER_HOME/,
    ],
    [
      'a setting is wrong',
      () => ({ PORT: '99999' }),
      /PORT must be a whole number from 0 to 65535, not "99999"/,
    ],
    [
      'several settings are wrong',
      () => ({ LOG_LEVEL: 'loud', ATELIER_WORKER_CONCURRENCY: '0' }),
      /LOG_LEVEL must be one of .*; ATELIER_WORKER_CONCURRENCY must be a whole number/,
    ],
    [
      'the address is not ours',
      () => ({ HOST: '192.0.2.1' }),
      /HOST 192\.0\.2\.1 is not an address of this machine/,
    ],
    [
      'the database does not answer',
      () => ({ DATABASE_URL: `postgres://somebody:secret@127.0.0.1:1/nothing` }),
      /DATABASE_URL cannot be used: .*ECONNREFUSED/,
    ],
  ];

  it.each(cases)('says in one line what to do when %s, and ends with code 1', async (_what, env, says) => {
    const { code, stdout, stderr } = await runStandalone(home.path, env());
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^atelier: [^\n]+\n$/);
    expect(stderr).not.toContain('secret');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(readdirSync(home.path).filter((name) => /lock|runtime/.test(name))).toEqual([]);
  });
});
