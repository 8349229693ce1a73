import { execFile, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';

const before = process.env['LOG_LEVEL'];
afterEach(() => {
  if (before === undefined) delete process.env['LOG_LEVEL'];
  else process.env['LOG_LEVEL'] = before;
});

describe('the log level', () => {
  it.each([
    ['', 'info'],
    ['warn', 'warn'],
  ])('LOG_LEVEL="%s" gives %s: an empty value counts as not set', (value, level) => {
    process.env['LOG_LEVEL'] = value;
    expect(createLogger('test').level).toBe(level);
  });
});

describe('a log on a disk that is full', () => {
  const full = '/dev/full';
  (existsSync(full) ? it : it.skip)('loses lines, and does not end its process', () => {
    const program = `
      const { createLogger } = await import('./dist/libs/platform/src/logger.js');
      const log = createLogger('test', 'info');
      for (let line = 0; line < 1000; line++) log.info({ line }, 'x'.repeat(5000));
      await new Promise((resolve) => setTimeout(resolve, 50));
      process.stderr.write('still there');`;
    const output = openSync(full, 'w');
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', output, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(output);
    expect([status, stderr]).toEqual([0, 'still there']);
  });
});

describe('a line of the log', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  /** The line that a logger of this module writes, in a process whose output can be read. */
  async function written(work: string): Promise<Record<string, unknown>> {
    const program = `
      const { createLogger } = await import('./dist/libs/platform/src/logger.js');
      const { correlated } = await import('./dist/libs/platform/src/correlation.js');
      const log = createLogger('test', 'info');
      ${work}`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      program,
    ]);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  it('that is written on behalf of a request has its id, and that of its trace', async () => {
    const line = await written(
      `correlated({ requestId: '01REQUEST', traceparent: '${traceparent}' }, () => log.info({ jobId: 'j' }, 'hello'));`,
    );
    expect(line).toMatchObject({
      msg: 'hello',
      jobId: 'j',
      requestId: '01REQUEST',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
    });
  });

  it('keeps the request that it names itself, and has neither outside of any', async () => {
    const named = await written(
      `correlated({ requestId: 'around' }, () => log.info({ requestId: 'named' }, ''));`,
    );
    expect(named['requestId']).toBe('named');
    const outside = await written(`log.info('hello');`);
    expect(outside).not.toHaveProperty('requestId');
    expect(outside).not.toHaveProperty('traceId');
  });
});
