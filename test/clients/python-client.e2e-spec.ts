import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startService } from '../journeys/service.js';
import { findPython, pythonClient, runPython } from '../support/python.js';
import { untilEnd } from '../support/until-end.js';

const service = untilEnd(
  await startService(1_000, {
    ATELIER_WEBHOOK_ALLOW_HTTP: 'true',
    ATELIER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  }),
);
const testKey = await service.testKey(100);

/** Python, or undefined and a line that says what was not tried. */
function pythonFor(what: string, ...modules: readonly string[]): string | undefined {
  const python = findPython(...modules);
  if (!python) console.warn(`No python3 ≥ 3.10 with ${modules.join(', ') || 'its library'}: ${what}`);
  return python;
}

describe('the Python client', () => {
  it('does what the first lines of its README say', async () => {
    const python = pythonFor("the README's program was not tried");
    if (!python) return;
    const readme = readFileSync(join(pythonClient, 'README.md'), 'utf8');
    const programs = [...readme.matchAll(/```python\n(.+?)```/gs)].map(([, program = '']) => program);
    expect(programs.length).toBeGreaterThan(1);
    for (const program of programs) {
      const environment = { ATELIER_URL: service.baseUrl, ATELIER_KEY: service.key };
      const stdout = await runPython(python, ['-c', program], environment);
      const [address = ''] = /^https?:.*$/m.exec(stdout) ?? [];
      const picture = await fetch(address);
      expect(picture.headers.get('content-type')).toBe('image/png');
    }
  });

  it('passes its own tests against the service', async () => {
    const python = pythonFor("the client's own tests did not run", 'pytest');
    if (!python) return;
    const environment = {
      ATELIER_URL: service.baseUrl,
      ATELIER_KEY: service.key,
      ATELIER_TEST_KEY: testKey,
    };
    const stdout = await runPython(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], environment);
    expect(stdout).toMatch(/\d\d passed in /);
    expect(stdout).not.toMatch(/skipped|failed|error|warning/i);
  });

  it('has types that hold, under the strictest rules', async () => {
    const python = pythonFor('its types were not checked', 'mypy', 'pytest');
    if (!python) return;
    const cache = join(process.cwd(), '.atelier', 'check', 'mypy');
    expect(await runPython(python, ['-m', 'mypy', '--cache-dir', cache])).toContain('Success');
  });
});
