import { afterAll, describe, expect, it } from 'vitest';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readRuntime } from '#platform/home-files.js';
import { eventually } from '../support/eventually.js';
import { temporaryHome } from './support/home.js';
import { remaining } from './support/processes.js';
import { untilEnd } from '../support/until-end.js';

const home = untilEnd(temporaryHome());

describe('npm start, through npm itself', () => {
  let npm: ChildProcess;
  afterAll(() => npm.kill('SIGKILL'));

  it('ends in order when npm is asked to end', async () => {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, ATELIER_HOME: home.path, PORT: '0' };
    npm = spawn('npm', ['start', '--silent'], { env, stdio: 'ignore' });
    const runtime = await eventually(async () => {
      const running = readRuntime(home.path);
      if (!running) throw new Error('the service is not ready');
      return running;
    });
    expect((await fetch(`${runtime.baseUrl}/health/ready`)).status).toBe(200);

    npm.kill('SIGTERM');
    await once(npm, 'exit');
    expect(await remaining([runtime.process], 60_000)).toEqual([]);
    expect(readRuntime(home.path)).toBeUndefined();
  });
});
