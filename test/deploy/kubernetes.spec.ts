import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfiguration } from '#platform/configuration.js';
import { readModelRegistry } from '#platform/model-registry.js';
import { readRepositoryFile, root } from './support/compose-file.js';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: PodTemplate & { readonly jobTemplate?: { readonly spec: PodTemplate } };
}

interface PodTemplate {
  readonly template?: { readonly spec: PodSpec };
}

interface PodSpec {
  readonly containers: readonly Readonly<Record<string, unknown>>[];
  readonly securityContext: unknown;
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly images: readonly { readonly newTag: string }[];
  readonly configMapGenerator: readonly { readonly literals?: readonly string[] }[];
}

const folder = join(root, 'deploy', 'kubernetes');
const kustomization = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
const manifests = kustomization.resources.flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as Manifest),
);
const pods = manifests.flatMap(({ metadata, spec }) => {
  const { template } = spec?.jobTemplate?.spec ?? spec ?? {};
  return template ? [[metadata.name, template.spec] as const] : [];
});
const jobs = ['atelier-migrate', 'atelier-backup', 'atelier-restore-drill'];

/**
 * Returns the compiler's complaints about the manifests as literals of the Kubernetes types. It finds wrong
 * types, missing fields, and names that do not exist; a validation by schema does not find such names.
 */
function complaintsAbout(checked: readonly Manifest[]): string[] {
  const file = join(root, 'manifests.ts');
  const source = checked.map((manifest, index) => {
    const { apiVersion, kind } = manifest;
    const literal = JSON.stringify(manifest);
    const group = apiVersion.replace(/^v1$/, 'core/v1').replace('.k8s.io', '');
    return `import type { ${kind} as Kind${index} } from 'kubernetes-types/${group}.js';\nexport const manifest${index}: Kind${index} = ${literal};`;
  });
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  const text = source.join('\n');
  host.fileExists = (path) => path === file || fileExists(path);
  host.readFile = (path) => (path === file ? text : readFile(path));
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

describe('deploy/kubernetes', () => {
  it('is what the types of Kubernetes allow, and a name that is misspelt is found', () => {
    expect(manifests.length).toBeGreaterThan(8);
    expect(complaintsAbout(manifests)).toEqual([]);
    const misspelt = JSON.parse(JSON.stringify(manifests[0]).replace('readinessProbe', 'readinesProbe'));
    expect(complaintsAbout([misspelt as Manifest]).join()).toContain('readinesProbe');
  });

  it('has each of its files in the kustomization, the version of the release, and no secret', () => {
    const files = readdirSync(folder).filter((file) => !['kustomization.yaml', 'models.yaml'].includes(file));
    expect([...kustomization.resources].toSorted()).toEqual(files.toSorted());
    const { version } = JSON.parse(readRepositoryFile('package.json')) as { version: string };
    expect(kustomization.images.map(({ newTag }) => newTag)).toEqual([version]);
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('sets what the configuration takes, with secrets from files', () => {
    const literals = kustomization.configMapGenerator.flatMap(({ literals: own = [] }) => own);
    const entries = literals.map((literal) => literal.split(/=(.*)/, 2) as [string, string]);
    const files = entries.filter(([, value]) => value.startsWith('/run/secrets/atelier/'));
    for (const [name, value] of files)
      expect(`${value.replace('/run/secrets/atelier/', '')}_FILE`).toBe(name);
    const secrets = files.map(([name]) => [name.replace(/_FILE$/, ''), `postgres://${'x'.repeat(40)}`]);
    const plain = entries.filter(([name]) => !name.endsWith('_FILE'));
    const models = join(folder, 'models.yaml');
    const settings = Object.fromEntries([...plain, ...secrets]) as Record<string, string>;
    expect(loadConfiguration({ ...settings, ATELIER_MODELS_FILE: models })).toMatchObject({
      metricsPort: 9464,
      storage: { kind: 's3' },
    });
    expect(readModelRegistry(models)).toMatchObject({ models: [{ id: 'sketch-1' }] });
  });

  it('runs the operators’ API on its own port, with its secrets, for those alone who are let in', () => {
    const named = (kind: string) =>
      manifests.find((each) => each.kind === kind && each.metadata.name === 'atelier-admin');
    const pod = named('Deployment')?.spec?.template?.spec;
    expect(pod?.containers).toMatchObject([
      {
        command: ['node', 'dist/capabilities/operate/server/main.js'],
        env: expect.arrayContaining([
          { name: 'ATELIER_ADMIN_HOST', value: '0.0.0.0' },
          { name: 'ATELIER_ADMIN_PORT', value: '3001' },
          expect.objectContaining({ name: 'ATELIER_SEAL_KEY' }),
        ]),
        ports: [{ name: 'http', containerPort: 3001 }, { name: 'metrics' }],
        readinessProbe: { httpGet: { path: '/health/ready', port: 'metrics' } },
        volumeMounts: expect.arrayContaining([expect.objectContaining({ name: 'secrets' })]),
      },
    ]);
    expect(named('Service')?.spec).toMatchObject({ selector: { 'app.kubernetes.io/name': 'atelier-admin' } });
    const policy = named('NetworkPolicy')?.spec as unknown as {
      ingress: { from?: unknown[]; ports: { port: string }[] }[];
    };
    const open = policy.ingress.filter(({ from }) => !from).flatMap(({ ports }) => ports);
    expect(open).toEqual([{ port: 'metrics' }]);
  });

  it.each(pods)('%s: no root, no capability, nothing to write to but its volumes, bounded', (name, pod) => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    for (const container of pod.containers) {
      expect(container).toMatchObject({
        image: 'atelier',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: expect.anything(), limits: { memory: expect.any(String) } },
      });
      const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].filter(
        (probe) => probe in container,
      );
      expect(probes).toHaveLength(jobs.includes(name) ? 0 : 3);
    }
  });
});
