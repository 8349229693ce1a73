import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** A program whose mistakes a type checker must find: a superfluous `ignore` is an error as well. */
const program = `import atelier

client = atelier.Atelier(base_url="http://x", api_key="k")
client.run("model-generator", {"gender": "FEMALE"})
client.run("no-workflow", {})  # type: ignore[call-overload]
client.run("model-generator", {"gender": "NONE"})  # type: ignore[call-overload]
client.get("/v1/jobs/{public_id}")  # type: ignore[call-overload]
balance: int = client.get("/v1/credits")["balance"]


def take(body: bytes, headers: dict[str, str]) -> str | None:
    message = atelier.verify_webhook(body, headers, "whsec_x")
    return message["data"]["job_id"] if message["type"] == "job.succeeded" else None
`;

// Each of these starts several programs, which take minutes on a machine that is busy with other specs.
describe('the Python client', { timeout: 300_000 }, () => {
  it('does what its README says', async () => {
    const python = pythonFor("the README's programs were not tried");
    if (!python) return;
    const readme = readFileSync(join(pythonClient, 'README.md'), 'utf8');
    const programs = [...readme.matchAll(/```python\n(.+?)```/gs)].map(([, program = '']) => program);
    expect(programs).toHaveLength(3);
    for (const program of programs) {
      const environment = { ATELIER_URL: service.baseUrl, ATELIER_KEY: service.key };
      const stdout = await runPython(python, ['-c', program], environment, join('assets', 'samples'));
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
    expect(stdout).not.toMatch(/skipped|failed|error/i);
  });

  it('has types that hold, under the strictest rules', async () => {
    const python = pythonFor('its types were not checked', 'mypy', 'pytest');
    if (!python) return;
    const cache = join(process.cwd(), '.atelier', 'check', 'mypy');
    expect(await runPython(python, ['-m', 'mypy', '--cache-dir', cache], {})).toContain('Success');
  });

  it('is a wheel, the same each time, that is installed from its file and brings its types', async () => {
    const [builder, pip, mypy] = [['setuptools', 'wheel'], ['pip'], ['mypy']].map((modules) =>
      pythonFor('the wheel was not tried', ...modules),
    );
    if (!builder || !pip || !mypy) return;
    const folder = mkdtempSync(join(tmpdir(), 'atelier-wheel-'));
    try {
      const wheels = [];
      for (const umask of ['022', '077']) {
        const made = `umask ${umask}; exec "$0" clients/python/build.mjs "$1"`;
        await promisify(execFile)('sh', ['-c', made, process.execPath, join(folder, umask)]);
        wheels.push(join(folder, umask, `atelier-${version}-py3-none-any.whl`));
      }
      const [first, second] = wheels.map((wheel) => readFileSync(wheel));
      expect(first!.equals(second!)).toBe(true);
      const installed = join(folder, 'installed');
      const offline = ['--no-index', '--no-deps', '--disable-pip-version-check', '--root-user-action=ignore'];
      await runPython(pip, ['-m', 'pip', 'install', ...offline, '--target', installed, wheels[0]!], {});
      const environment = { PYTHONPATH: installed, MYPYPATH: '' };
      const where = await runPython(pip, ['-c', 'import atelier; print(atelier.__file__)'], environment);
      expect(where).toContain(installed);
      writeFileSync(join(folder, 'program.py'), program);
      const args = ['--strict', '--cache-dir', join(folder, 'cache'), 'program.py'];
      await expect(
        runPython(mypy, ['-m', 'mypy', ...args], { ...environment, MYPYPATH: installed }, folder),
      ).resolves.toContain('Success');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
