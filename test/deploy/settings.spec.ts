import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '#platform/configuration.js';
import { composeText, readRepositoryFile, services } from './support/compose-file.js';

/** Compose does not set these: the image does, or they belong to pictures in a folder. */
const notForCompose = ['HOST', 'PORT', 'ATELIER_HOME', 'URL_SIGNING_SECRET'];

/** Settings of the operators' API alone. */
const ofAdmin = [
  ...['HOST', 'PORT', 'PUBLIC_URL'].map((name) => `ATELIER_ADMIN_${name}`),
  ...['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'SCOPE', 'NAME_CLAIM', 'ROLE_CLAIM', 'ROLES'].map(
    (name) => `ATELIER_OIDC_${name}`,
  ),
  ...['URLS', 'SECRET', 'AFTER_MS'].map((name) => `ATELIER_ALERT_${name}`),
];

/** A secret that only these services need. */
const ofSealing = ['ATELIER_SEAL_KEY', 'ATELIER_SEAL_KEEP'];
/** Signs pictures. */
const ofSigning = ['ATELIER_PROVENANCE_KEY'];
const sealing = ['projector', 'operator', 'admin'];

/**
 * Every name that the configuration reads from the environment. LOG_LEVEL is among them: the configuration
 * checks it too.
 */
function settingsOfTheCode(): string[] {
  const asked = new Set<string>();
  for (const given of [
    {},
    { S3_BUCKET: 'pictures', S3_ENDPOINT: 'http://s3', S3_PUBLIC_ENDPOINT: 'http://s3' },
  ]) {
    const values: Record<string, string> = {
      DATABASE_URL: 'postgres://db/x',
      URL_SIGNING_SECRET: 'x',
      S3_ACCESS_KEY_ID: 'x',
      S3_SECRET_ACCESS_KEY: 'x',
      ...given,
    };
    const watched = new Proxy(values, {
      get(target, name) {
        if (typeof name !== 'string') return undefined;
        // Any of them may be in a file instead.
        if (name === 'ATELIER_MODELS_FILE' || !name.endsWith('_FILE')) asked.add(name);
        return target[name];
      },
    });
    loadConfiguration(watched);
  }
  return [...asked].toSorted();
}

/** The first column of the tables. */
function settingsOfTheDocumentation(): string[] {
  const rows = readRepositoryFile('docs/configuration.md').matchAll(/^\| `([A-Z][A-Z0-9_]*)` +\|/gm);
  return [...rows].map(([, name = '']) => name).toSorted();
}

/** Names that `.env` may set. */
const variablesOfCompose = new Set(
  [...composeText.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name = '']) => name),
);
const namesOfExample = [...readRepositoryFile('deploy/env.example').matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)];

describe('settings', () => {
  it('are documented, all that there are and no other', () => {
    expect(settingsOfTheDocumentation()).toEqual(settingsOfTheCode());
  });

  it.each(services.filter(([, { build }]) => build))(
    '%s gets all of them in Compose, and no other',
    (name, { environment = {} }) => {
      const given = Object.keys(environment);
      const left = [
        ...notForCompose,
        ...(sealing.includes(name) ? [] : ofSealing),
        ...(name === 'worker' ? [] : ofSigning),
        ...(name === 'admin' ? [] : ofAdmin),
      ];
      expect(given.toSorted()).toEqual(settingsOfTheCode().filter((each) => !left.includes(each)));
    },
  );

  it('that Compose cannot do without are in deploy/env.example, and nothing there is unknown to it', () => {
    const offered = new Set(namesOfExample.map(([, name = '']) => name));
    const needed = [...composeText.matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name = '']) => name);
    expect(needed.filter((name) => !offered.has(name))).toEqual([]);
    expect([...offered].filter((name) => !variablesOfCompose.has(name))).toEqual(['COMPOSE_PROFILES']);
  });

  it('deploy/env.example says no secret, and only what the configuration takes', () => {
    const lines = readRepositoryFile('deploy/env.example').split('\n');
    const entries = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/, 2));
    const example = Object.fromEntries(entries) as Record<string, string>;
    for (const [name, value] of Object.entries(example))
      if (/PASSWORD|SECRET/.test(name)) expect(value).toBe('');
    const filledIn = { ...example, S3_SECRET_ACCESS_KEY: 'x', DATABASE_URL: 'postgres://db/x' };
    expect(loadConfiguration(filledIn).eventStoreUrl).toBe('esdb://eventstore:2113?tls=false');
    // The bucket's name is the first part of a path on the API's own origin, so it must not equal a route.
    expect(example['S3_BUCKET']).not.toMatch(/^(?:v1|docs|health|objects|openapi\.json)$/);
  });
});
