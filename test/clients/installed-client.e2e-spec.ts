import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = process.cwd();

/** Packs as for publishing; `dist` comes from the repository's build. */
async function pack(folder: string, into: string): Promise<string> {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', into];
  const { stdout } = await run('npm', args, { cwd: join(root, folder) });
  const packed = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  return join(into, packed[0]!.filename);
}

describe('the client as a package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-client-'));
  const program = async (code: string) => {
    const args = ['--input-type=module', '--eval', `import { Atelier } from '@atelier/client';\n${code}`];
    return run(process.execPath, args, { cwd: folder });
  };

  beforeAll(async () => {
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    // Installs the dependencies from files too, so that no registry is needed.
    const files = [
      await pack('clients/typescript', folder),
      await pack('node_modules/eventsource-parser', folder),
    ];
    await run('npm', ['install', '--offline', '--no-audit', '--ignore-scripts', ...files], { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is installed from its file, and found', async () => {
    const { stdout } = await program(
      "console.log(typeof new Atelier({ baseUrl: 'http://127.0.0.1:1', apiKey: 'sk_test_x' }).run)",
    );
    expect(stdout.trim()).toBe('function');
    const installed = readFileSync(join(folder, 'node_modules/@atelier/client/package.json'), 'utf8');
    // npm publishes no package that is private.
    expect(JSON.parse(installed)).not.toHaveProperty('private');
  });

  it('brings its types', async () => {
    const code = `import { Atelier } from '@atelier/client';
const atelier = new Atelier({ baseUrl: 'http://x', apiKey: 'k' });
atelier.run('model-generator', { gender: 'FEMALE' });
// @ts-expect-error: no such workflow
atelier.run('no-workflow', {});
`;
    writeFileSync(join(folder, 'program.ts'), code);
    const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, noEmit: true, types: [] };
    const config = { compilerOptions, files: ['program.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    // If the compiler complains, `run` rejects with the compiler's words.
    const { stdout } = await run(process.execPath, [tsc, '--project', folder]);
    expect(stdout).toBe('');
  });

  it.each(['baseUrl', 'apiKey'])(
    'says so when %s is undefined, as with a forgotten variable',
    async (name) => {
      const given = {
        baseUrl: "'http://127.0.0.1:1'",
        apiKey: "'sk_test_x'",
        [name]: 'process.env.NO_SUCH_NAME',
      };
      const options = `{ baseUrl: ${given.baseUrl}, apiKey: ${given.apiKey} }`;
      const { stdout } = await program(
        `try { new Atelier(${options}) } catch (error) { console.log(String(error)) }`,
      );
      expect(stdout.trim()).toBe(
        `TypeError: new Atelier({ ${name} }) got undefined: is the environment variable set that it is read from?`,
      );
    },
  );
});
