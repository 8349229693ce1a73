import { testMasterKey, testSigningKey } from '../support/signing-key.js';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateOperatorToken } from '#capabilities/sign-in/operator-token.js';
import { newSealKey } from '#capabilities/seals/seal.key.js';
import { runCommand } from '../support/command.js';
import { openWorld } from '../api/support/world.js';

const { version: release } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const pem = newSealKey();
const operatorToken = generateOperatorToken('home');
const home = {
  urlSigningSecret: 'secret-of-urls-AAAA',
  signingKey: 'secret-of-signatures-BBBB',
  masterKey: 'secret-of-words-IIII',
};
/** Secrets that settings may hold. */
const settings = {
  ATELIER_SIGNING_KEY: 'a "signing" key\\of tests, long enough',
  ATELIER_SEAL_KEY: pem,
  ATELIER_MASTER_KEY: 'a master key of this bundle, long enough',
  ATELIER_ACCEPTED_MASTER_KEYS: testMasterKey,
  ATELIER_OPERATOR_TOKEN: generateOperatorToken('ada'),
  ATELIER_ADMIN_PUBLIC_URL: 'https://admin.atelier.example',
  ATELIER_OIDC_ISSUER: 'https://login.atelier.example',
  ATELIER_OIDC_CLIENT_ID: 'atelier-here',
  ATELIER_OIDC_CLIENT_SECRET: 'secret-of-oidc-CCCC',
  FAL_CREDENTIALS_OF_OURS: 'secret-of-vendor-DDDD',
  // The key that signed the log of this spec.
  ATELIER_ACCEPTED_SIGNING_KEYS: testSigningKey,
  ATELIER_ALERT_URLS: 'https://hooks.example/channel-IIII',
  ATELIER_ALERT_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  S3_BUCKET: 'pictures',
  S3_ACCESS_KEY_ID: 'AKIA-EEEE',
  S3_SECRET_ACCESS_KEY: 'secret-of-objects-FFFF',
};
const { service, tenant } = await openWorld({ credits: 7 });
const apiKey = tenant.key;

beforeAll(() => {
  mkdirSync(join(service.folder, 'logs'));
  writeFileSync(join(service.folder, 'secrets.json'), JSON.stringify(home));
  writeFileSync(join(service.folder, 'operator-token'), `${operatorToken}\n`);
  writeFileSync(join(service.folder, 'postgres.password'), 'secret-of-postgres-GGGG\n');
  const registry = [
    { id: 'fal-x', family: 'fal', model: 'x', workflows: ['look'], secret_env: 'FAL_CREDENTIALS_OF_OURS' },
  ];
  writeFileSync(join(service.folder, 'models.json'), JSON.stringify({ models: registry }));
  // A log should hold no secret. If it does, the bundle must still hold none.
  const lines = [...Object.values(settings), ...Object.values(home), operatorToken, apiKey].map((secret) =>
    JSON.stringify({
      level: 50,
      msg: `it was ${secret}, and https://x/live/a.png?X-Amz-Signature=signed-HHHH`,
    }),
  );
  writeFileSync(join(service.folder, 'logs', 'api.log'), `${lines.join('\n')}\nthe last line\n`);
});

describe('a bundle for support', () => {
  it('holds what helps, and nothing that is secret or leads to a picture', async () => {
    const file = join(service.folder, 'bundle.json');
    const env = {
      ...settings,
      DATABASE_URL: service.databaseUrl,
      EVENT_STORE_URL: service.databaseUrl,
      ATELIER_MODELS_FILE: join(service.folder, 'models.json'),
    };
    const { code, stderr } = await runCommand(['support-bundle', file], service.folder, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const password = new URL(service.databaseUrl).password;
    const { ATELIER_ADMIN_PUBLIC_URL, ATELIER_OIDC_ISSUER, ATELIER_OIDC_CLIENT_ID, S3_BUCKET, ...secret } =
      settings;
    const secrets = [
      ...Object.values(secret),
      ...Object.values(home),
      operatorToken,
      apiKey,
      password,
      'secret-of-postgres-GGGG',
      'signed-HHHH',
      ...pem.split('\n').filter((line) => /^[\w+/=]{20,}$/.test(line)),
    ];
    for (const each of secrets) expect(text.includes(JSON.stringify(each).slice(1, -1)) && each).toBe(false);
    const bundle = JSON.parse(text);
    expect(bundle).toMatchObject({
      versions: { atelier: release, node: process.version, database: { kind: 'PostgreSQL' } },
      configuration: {
        signingKey: '(set)',
        masterKey: '(set)',
        acceptedMasterKeys: '(set)',
        admin: {
          oidc: { issuer: ATELIER_OIDC_ISSUER, clientId: ATELIER_OIDC_CLIENT_ID, clientSecret: '(set)' },
        },
        storage: { bucket: S3_BUCKET, secretAccessKey: '(set)' },
      },
      doctor: { checks: expect.any(Array), projections: expect.any(Array) },
      now: { queues: expect.any(Array), consumers: expect.any(Array) },
    });
    expect(bundle.configuration.admin.publicUrl).toBe(ATELIER_ADMIN_PUBLIC_URL);
    expect(bundle.settings_given).toContain('ATELIER_OIDC_CLIENT_SECRET');
    const tables = bundle.schema.map(({ table }: { table: string }) => table);
    expect(tables).toEqual(expect.arrayContaining(['live.jobs', 'event_store.events']));
    expect(bundle.logs['api.log'].at(-1)).toBe('the last line');
    const again = await runCommand(['support-bundle', file], service.folder, { env });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be made') });
  });

  it('is made where nothing answers, too', async () => {
    const file = join(service.folder, 'dark.json');
    const env = { DATABASE_URL: 'postgres://u:secret-of-nobody@127.0.0.1:1/x', URL_SIGNING_SECRET: 'unused' };
    const { code } = await runCommand(['support-bundle', file], service.folder, { env });
    expect(code).toBe(0);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('secret-of-nobody');
    expect(JSON.parse(text).versions.database).toMatchObject({ unknown_because: expect.any(String) });
  });
});

describe('a shell', () => {
  it('is told what may come next', async () => {
    const complete = (...words: string[]) => runCommand(['complete', '--', ...words], service.folder);
    const { stdout: verbs } = await complete('jobs', '');
    expect(verbs).toContain('cancel\t');
    const { stdout: statuses } = await complete('jobs', 'list', '--status', '');
    expect(statuses.split('\n').map((line) => line.trim())).toContain('FAILURE');
    const { stdout: script } = await runCommand(['complete', 'bash'], service.folder);
    expect(script).toContain('# bash completion for atelier');
    const { stdout: version } = await runCommand(['--version'], service.folder);
    expect(version).toBe(`${release}\n`);
  });
});
