import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DCLinter } from 'dclint';
import {
  compose,
  composePath,
  composeText,
  readRepositoryFile,
  root,
  services,
} from './support/compose-file.js';

/** These services prepare volumes and end. An empty volume belongs to root, so they run as root. */
const rootForAMoment = ['eventstore-certificates', 'objects-owner'];

describe('docker-compose.yml', () => {
  it('is what the schema of the Compose specification allows, and what a linter finds safe', () => {
    const linter = new DCLinter({
      rules: {
        'no-duplicate-container-names': 2,
        'no-duplicate-exported-ports': 2,
        'no-unbound-port-interfaces': 2,
        'no-version-field': 2,
        'require-project-name-field': 2,
        'service-image-require-explicit-tag': 2,
        // Prettier and we decide the order and the quotes of keys.
        'no-build-and-image': 0,
        'no-quotes-in-volumes': 0,
        'require-quotes-in-ports': 0,
        'service-container-name-regex': 0,
        'service-dependencies-alphabetical-order': 0,
        'service-keys-order': 0,
        'service-ports-alphabetical-order': 0,
        'services-alphabetical-order': 0,
        'top-level-properties-order': 0,
      },
      quiet: false,
      debug: false,
      exclude: [],
    });
    // The package's declarations do not resolve under `nodenext`, so its result is typed here.
    const results: readonly { readonly messages: readonly unknown[] }[] = linter.lintFiles(
      [composePath],
      false,
    );
    expect(results.flatMap(({ messages }) => messages)).toEqual([]);
  });

  it.each(services)('%s: the image has a tag that says which version it is', (_name, { image }) => {
    expect(image).toMatch(/^[a-z0-9./-]+:v?\d+\.\d+(?:\.\d+)?(?:-[a-z0-9.]+)?$/);
  });

  it('runs the last EventStoreDB under a BSD-style licence', () => {
    const images = services
      .filter(([name]) => /^eventstore(?:-\d)?$/.test(name))
      .map(([, { image }]) => image);
    expect(images).toHaveLength(4);
    const named = new Set(images.map((image) => image?.replace(/-jammy$/, '')));
    expect(
      [...named].every((image) => readRepositoryFile('docs/production.md').includes(`\`${image}\``)),
    ).toBe(true);
    expect(new Set(images)).toEqual(new Set([expect.stringMatching(/^eventstore\/eventstore:24\.6\.\d+-/)]));
  });

  it.each(services)(
    '%s: no root, no capability, nothing to write to but volumes, and bounded',
    (name, service) => {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(service.security_opt).toContain('no-new-privileges:true');
      expect(service.restart).toBeDefined();
      expect(Object.keys(service.deploy?.resources.limits ?? {})).toEqual(['cpus', 'memory', 'pids']);
      if (rootForAMoment.includes(name)) {
        expect(service).toMatchObject({ user: '0:0', cap_add: ['CHOWN'], restart: 'no' });
      } else {
        expect(service.user).toMatch(/^(?:node|[1-9]\d*:[1-9]\d*)$/);
        expect(service.cap_add ?? []).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
      }
    },
  );

  it.each(services)(
    '%s: has a health check, or ends by itself, or a comment says why not',
    (_name, service) => {
      expect(Boolean(service.healthcheck?.test) !== Boolean(service.healthcheck?.disable)).toBe(true);
    },
  );

  it('gives a reason wherever the health check is switched off', () => {
    const lines = composeText.split('\n');
    const switchedOff = lines.flatMap((line, index) => (/disable: true/.test(line) ? [index] : []));
    expect(switchedOff).toHaveLength(services.filter(([, { healthcheck }]) => healthcheck?.disable).length);
    for (const index of switchedOff) expect(lines[index - 1]).toMatch(/^ *# \S/);
  });

  it('publishes the ports of callers and of operators, on loopback, and lets out who calls vendors and webhooks', () => {
    const published = services.filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name)).toEqual(['proxy', 'admin']);
    for (const port of published.flatMap(([, { ports }]) => ports)) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(compose.networks['inside']).toEqual({ internal: true });
    const outside = services.filter(([, { networks }]) => networks?.some((network) => network !== 'inside'));
    expect(outside.map(([name]) => name)).toEqual(['proxy', 'worker', 'admin', 'operator']);
  });

  it('serves the operators’ API where its port says, and not to callers', () => {
    const { environment = {}, ports = [], healthcheck } = compose.services['admin'] ?? {};
    expect(environment['ATELIER_ADMIN_HOST']).toBe('0.0.0.0');
    expect(ports).toEqual([expect.stringMatching(`:${environment['ATELIER_ADMIN_PORT']}$`)]);
    expect(healthcheck?.test).toContain('deploy/check-health.mjs');
    expect(environment).toHaveProperty('METRICS_PORT');
    expect(readRepositoryFile('deploy/Caddyfile')).not.toContain('admin:');
  });

  it('gives the keys of vendors to those who ask them, and the models to all who have settings', () => {
    const having = (path: string) =>
      services.filter(([, { volumes = [] }]) =>
        volumes.some((mount) => typeof mount === 'string' && mount.startsWith(path)),
      );
    const asking = services.filter(([, { env_file }]) => env_file);
    expect(asking.map(([name]) => name)).toEqual(['worker', 'admin', 'operator']);
    expect(having('./deploy/keys:')).toEqual(asking);
    expect(having('./deploy/models:')).toEqual(services.filter(([, { build }]) => build));
  });

  it.each(services)('%s: waits for what there is, and for what it can tell', (_name, service) => {
    for (const [target, { condition, required }] of Object.entries(service.depends_on ?? {})) {
      const awaited = compose.services[target];
      if (!awaited) throw new Error(`there is no service ${target}`);
      if (condition === 'service_healthy') expect(awaited.healthcheck?.test).toBeDefined();
      else expect(awaited.restart).toMatch(/^(?:no|on-failure:\d+)$/);
      // A service of a profile may be absent, unless the service that waits for it has the same profiles.
      if (awaited.profiles && service.profiles?.join() !== awaited.profiles.join())
        expect(required).toBe(false);
    }
  });

  it('declares the volumes that it uses, uses those that it declares, and mounts files read-only', () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes);
    const sources = mounts.flatMap((mount) => {
      if (typeof mount !== 'string') return mount.source ?? [];
      const [source = '', , mode] = mount.split(':');
      if (!source.startsWith('./')) return source;
      expect({ source, mode, exists: existsSync(join(root, source)) }).toEqual({
        source,
        mode: 'ro',
        exists: true,
      });
      return [];
    });
    expect([...new Set(sources)].toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  it('holds no secret', () => {
    const secrets = services.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(([key]) => /PASSWORD|SECRET|ACCESS_KEY|(?<!PUBLIC)_URL$/.test(key)),
    );
    expect(secrets.length).toBeGreaterThan(10);
    for (const [, value] of secrets) expect(value).toMatch(/\$\{[A-Z0-9_]+(?::[?-][^}]*)?\}/);
  });

  it.each(services.filter(([name]) => /^eventstore-\d$/.test(name)))(
    '%s: does not start with an empty password',
    (_name, { environment = {} }) => {
      for (const user of ['ADMIN', 'OPS'])
        expect(environment[`EVENTSTORE_DEFAULT_${user}_PASSWORD`]).toMatch(/^\$\{EVENTSTORE_PASSWORD:\?/);
    },
  );
});
