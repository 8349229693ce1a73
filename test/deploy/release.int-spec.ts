import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'atelier-release-'));
afterAll(() => rmSync(folder, { recursive: true }));

const text = (file: string) => readFileSync(join(folder, file), 'utf8');
const json = (file: string) => JSON.parse(text(file)) as unknown;
const sha256 = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');

interface Component {
  readonly 'bom-ref': string;
  readonly licenses: readonly object[];
}

describe('the files of a release', () => {
  beforeAll(async () => {
    await run('npm', ['pack', '--silent', '--workspace', 'packages/engine', '--pack-destination', folder]);
    await run(process.execPath, ['scripts/release-files.mjs', folder]);
  });

  it('name each package that the service runs with, and its licence', () => {
    const { metadata, components } = json('sbom.cdx.json') as {
      metadata: { component: { name: string } };
      components: readonly Component[];
    };
    expect(metadata.component.name).toBe('atelier');
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const named = components.map((component) => component['bom-ref']);
    const libraries = Object.entries(dependencies).filter(([name]) => !name.startsWith('@atelier/'));
    for (const [name, version] of libraries) expect(named).toContain(`${name}@${version}`);
    expect(named.filter((name) => /^(?:typescript|vitest|node)@/.test(name))).toEqual([]);
    expect(components.filter(({ licenses }) => licenses.length === 0)).toEqual([]);
    const licences = text('licences.txt');
    for (const [name] of libraries) expect(licences).toContain(`${name}@`);
    expect(licences).toContain('Apache License');
  });

  it('say which commit they were made from, and have a checksum each', async () => {
    const { subject, predicate } = json('provenance.json') as {
      subject: readonly { name: string; digest: { sha256: string } }[];
      predicate: { buildDefinition: { resolvedDependencies: readonly object[] } };
    };
    const { stdout: commit } = await run('git', ['rev-parse', 'HEAD']);
    expect(predicate.buildDefinition.resolvedDependencies).toContainEqual({
      name: 'source',
      digest: { gitCommit: commit.trim() },
    });
    expect(subject.map(({ name }) => name.replace(/\d+\.\d+\.\d+/, 'N'))).toEqual([
      'atelier-deploy-N.tar.gz',
      'atelier-engine-N.tgz',
      'licences.txt',
      'sbom.cdx.json',
    ]);
    for (const { name, digest } of subject) expect(digest.sha256).toBe(sha256(name));
    const sums = text('SHA256SUMS').trim().split('\n');
    expect(sums).toHaveLength(subject.length + 1);
    for (const line of sums) {
      const [sum, name = ''] = line.split('  ');
      expect(sum).toBe(sha256(name));
    }
  });

  it('have the manifests', async () => {
    const { stdout } = await run('tar', ['--list', '--file', join(folder, deployed())]);
    for (const file of ['docker-compose.yml', 'deploy/kubernetes/worker.yaml', 'deploy/env.example'])
      expect(stdout.replaceAll(/^atelier-[\d.]+\//gm, '').split('\n')).toContain(file);
  });

  it('have an engine package that a program elsewhere compiles and runs with', async () => {
    const elsewhere = join(folder, 'elsewhere');
    const installed = join(elsewhere, 'node_modules', '@atelier', 'engine');
    mkdirSync(installed, { recursive: true });
    const [, engine = ''] = /(atelier-engine-\S+)/.exec(text('SHA256SUMS')) ?? [];
    const unpack = ['--extract', '--strip-components=1', '--directory', installed];
    await run('tar', [...unpack, '--file', join(folder, engine)]);
    symlinkSync(join(root, 'node_modules', 'sharp'), join(elsewhere, 'node_modules', 'sharp'));
    writeFileSync(join(elsewhere, 'package.json'), '{"private": true, "type": "module"}');
    const program = `import { EngineError, type MakeEngine } from '@atelier/engine';
const make: MakeEngine = ({ id }) => ({
  id,
  name: 'none',
  render: async () => { throw new EngineError('misconfigured', 'draws nothing'); },
});
const engine = await make({ id: 'x', model: 'none', endpoint: undefined, secret: undefined, options: {} });
console.log(engine.name, typeof (await import('@atelier/engine/decode')));
`;
    writeFileSync(join(elsewhere, 'program.ts'), program);
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
    };
    writeFileSync(
      join(elsewhere, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['program.ts'] }),
    );
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    await run(process.execPath, [tsc, '--project', elsewhere]);
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: elsewhere });
    expect(stdout).toBe('none object\n');
  });

  const deployed = () => /(atelier-deploy-\S+)/.exec(text('SHA256SUMS'))![1]!;
});
