import { execFile } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformFile } from '@swc/core';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRuntime } from '#platform/home-files.js';
import { readModelsOfCapabilities } from '#capabilities/parts.js';
import { Atelier, run } from '../standalone/support/atelier.js';
import { eventually } from '../support/eventually.js';
import { temporaryHome } from '../standalone/support/home.js';

const execute = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), 'atelier-kernel-'));
const home = temporaryHome();
const capabilities = globSync('capabilities/*/');
const isSpec = /[.](?:int-|e2e-)?spec[.]ts$/;

beforeAll(async () => {
  for (const folder of ['apps', 'libs', 'projections', 'capabilities'])
    cpSync(folder, join(root, folder), { recursive: true, filter: (path) => !isLeftOut(path) });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(file, join(root, file));
  for (const name of ['node_modules', 'packages', 'assets', 'docs', '.swcrc'])
    symlinkSync(join(process.cwd(), name), join(root, name));
  install();
  await build();
  for (const folder of ['docs', 'console'])
    symlinkSync(join(process.cwd(), 'dist', folder), join(root, 'dist', folder));
});
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  await home[Symbol.asyncDispose]();
});

function isLeftOut(path: string): boolean {
  return capabilities.some((folder) => path === folder.replace(/\/$/, '')) || path === 'apps/console';
}

function bring(folder: string): void {
  cpSync(folder, join(root, 'capabilities', basename(folder)), { recursive: true });
}

/** Removes the one line of each other capability from the list, and its import. A new one has its import added. */
function install(...names: readonly string[]): void {
  const list = readFileSync('capabilities/installed.ts', 'utf8')
    .replace(/^import \{ (\w+) \}.*[.]capability[.]js';\n/gm, (line, name) =>
      names.includes(name) ? line : '',
    )
    .replace(/const list = \[[^\]]*\]/, `const list = [${names.join(', ')}]`);
  expect(list).toContain(`const list = [${names.join(', ')}] as const;`);
  const added = names.filter((name) => !list.includes(`import { ${name} }`));
  const imports = added.map((name) => `import { ${name} } from './${name}/${name}.capability.js';\n`);
  writeFileSync(join(root, 'capabilities', 'installed.ts'), imports.join('') + list);
}

/** Builds as `scripts/compile.mjs` does, with the settings of `.swcrc`. */
async function build(): Promise<void> {
  const sources = globSync('{apps,libs,projections,capabilities}/**/*.ts', { cwd: root });
  for (const source of sources.filter((file) => !isSpec.test(file))) {
    const { code } = await transformFile(join(root, source), { swcrc: true, configFile: '.swcrc' });
    const target = join(root, 'dist', source.replace(/ts$/, 'js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
}

describe('the kernel without a capability', () => {
  it('compiles', async () => {
    const settings = {
      extends: './tsconfig.json',
      include: ['apps/**/*.ts', 'capabilities/**/*.ts', 'libs/**/*.ts', 'projections/**/*.ts'],
      exclude: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts', '**/testing/**', 'dist'],
    };
    writeFileSync(join(root, 'tsconfig.kernel.json'), JSON.stringify(settings));
    const tsc = join(process.cwd(), 'node_modules', 'typescript', 'bin', 'tsc');
    const compile = execute(process.execPath, [tsc, '-p', 'tsconfig.kernel.json'], { cwd: root });
    // The compiler writes its errors to standard output.
    expect(await compile.catch((error: unknown) => error)).toMatchObject({ stdout: '' });
  }, 300_000);

  it('takes an order, draws it and settles its charge, and the audit holds', async () => {
    const atelier = await Atelier.start(home.path, {}, root);
    try {
      const demo = await run('apps/standalone/src/demo.js', [], home.path, { root });
      expect(demo).toMatchObject({ code: 0, stderr: '' });
      expect(demo.stdout).toMatch(/queued[^]+stage[^]+succeeded/);
      expect(demo.stdout).toContain('Balance: 990 credits, which is the sum of the ledger.');
      expect((await atelier.get('/v1/webhooks')).status).toBe(404);
      expect(readRuntime(home.path)).not.toHaveProperty('adminUrl');
      // The audit belongs to a capability, so the audit of this checkout judges the kernel's log. It misses the read
      // models of the capabilities, and nothing else.
      const audit = await run('capabilities/operate/main.js', ['ledger', 'audit', '--json'], home.path);
      const { findings } = JSON.parse(audit.stdout) as { findings: { message: string; table?: string }[] };
      const left = (await readModelsOfCapabilities()).map(({ name }) => name);
      const isOfOneLeft = (text: string) => left.some((name) => text.includes(`.${name}`));
      expect(findings.filter(({ message, table = '' }) => !isOfOneLeft(`${message} ${table}`))).toEqual([]);
    } finally {
      await atelier.stop();
    }
  }, 300_000);

  it('does not start with a model of a capability, and names the capability', async () => {
    const file = join(root, 'models.json');
    writeFileSync(file, JSON.stringify({ models: [{ id: 'painter', family: 'openai' }] }));
    const env = { ATELIER_MODELS_FILE: file };
    const worker = await run('apps/worker/src/main.js', [], home.path, { root, env });
    expect(worker.code).toBe(1);
    expect(worker.stderr + worker.stdout).toContain(
      'ATELIER_MODELS_FILE names a file with mistakes: ' +
        '/models/0/family is openai, which needs the capability vendors: it is not installed',
    );
  });
});

interface Said {
  readonly tenants: readonly { tenant_id: string }[];
  readonly tenant_id?: string;
  readonly key: string;
}

describe('the capability of examples/capability', () => {
  it('is a folder and a line in the list: its rows are made from the history that was there before', async () => {
    bring('capabilities/operate');
    bring('examples/capability/tally');
    install('operate', 'tally');
    await build();
    const atelier = await Atelier.start(home.path, {}, root);
    const verb = async (...args: string[]) => {
      const all = [...args, '--env', 'test', '--json'];
      const { stdout, stderr, code } = await run('capabilities/operate/main.js', all, home.path, { root });
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      return JSON.parse(stdout) as Said;
    };
    try {
      const { tenants } = await verb('tenants', 'list');
      const tallies = await eventually(async () => {
        const shown = tenants.map(({ tenant_id: tenant }) => verb('tally', 'show', '--tenant', tenant));
        const counted = (await Promise.all(shown)).filter((tally) => JSON.stringify(tally).includes('jobs'));
        expect(counted).not.toEqual([]);
        return counted;
      });
      const items = [{ workflow: 'product-to-model-direct', jobs: 1 }];
      expect(tallies).toEqual([{ tenant_id: expect.any(String), items }]);
      const issue = ['keys', 'issue', '--tenant', String(tallies[0]?.tenant_id)];
      const { key } = await verb(...issue, '--capabilities', 'jobs:read');
      const answer = await atelier.get('/v1/tally', key);
      expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: { items } });
    } finally {
      await atelier.stop();
    }
  }, 300_000);
});

describe('operate without the sign-in', () => {
  it('compiles', () => {
    bring('capabilities/operate');
    install('operate');
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
      config: object;
    };
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
    const files = globSync('capabilities/**/*.ts', { cwd: root })
      .filter((file) => !isSpec.test(file))
      .map((file) => join(root, file));
    const program = ts.createProgram(files, options);
    // Only these files are checked here: the kernel is checked above, and it imports no capability.
    const wrong = files.flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)));
    expect(wrong.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
  }, 300_000);
});
