import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults, ConfigurationError, loadConfiguration } from './configuration.js';

const bucket = {
  DATABASE_URL: 'postgres://db/atelier',
  S3_BUCKET: 'pictures',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'hush',
};

describe('configuration', () => {
  it('reads where callers reach the bucket, beside where this process does', () => {
    const { storage } = loadConfiguration({
      ...bucket,
      S3_ENDPOINT: 'http://objects:8333',
      S3_PUBLIC_ENDPOINT: 'https://atelier.example/',
    });
    expect(storage).toMatchObject({
      endpoint: 'http://objects:8333',
      publicEndpoint: 'https://atelier.example',
    });
    expect(loadConfiguration({ ...bucket, S3_PUBLIC_ENDPOINT: '' }).storage).toMatchObject({
      publicEndpoint: undefined,
    });
  });

  it.each(['atelier.example', 'ftp://atelier.example', 'https://atelier.example/pictures', 'https://'])(
    'refuses %s as the public endpoint: signatures cover host and path',
    (value) => {
      expect(() => loadConfiguration({ ...bucket, S3_PUBLIC_ENDPOINT: value })).toThrow(ConfigurationError);
      expect(() => loadConfiguration({ ...bucket, S3_PUBLIC_ENDPOINT: value })).toThrow(
        /^S3_PUBLIC_ENDPOINT must be/,
      );
    },
  );

  it('tells all that is wrong at once, and shows no secret', () => {
    expect(() => loadConfiguration({ PORT: 'x', S3_BUCKET: 'b', S3_SECRET_ACCESS_KEY: 'hush' })).toThrow(
      /^PORT must .*; DATABASE_URL is not set; EVENT_STORE_URL is not set; S3_ACCESS_KEY_ID is not set$/,
    );
  });

  it('reads secrets from files, as orchestrators mount them, and names a file that cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-secrets-'));
    try {
      const file = join(folder, 'database-url');
      await writeFile(file, 'postgres://from-a-file/atelier\n');
      const { DATABASE_URL: url, ...rest } = bucket;
      expect(loadConfiguration({ ...rest, DATABASE_URL_FILE: file }).databaseUrl).toBe(
        'postgres://from-a-file/atelier',
      );
      expect(loadConfiguration({ ...bucket, DATABASE_URL_FILE: file }).databaseUrl).toBe(url);
      const missing = { ...rest, DATABASE_URL_FILE: `${file}.no` };
      expect(() => loadConfiguration(missing)).toThrow(
        `DATABASE_URL_FILE names ${file}.no, which cannot be read (ENOENT)`,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each(['esdb://eventstore:2113?tls=false', 'esdb+discover://a:1,b:2?tls=false', 'postgres://db/events'])(
    'takes %s as the event store',
    (EVENT_STORE_URL) => {
      expect(loadConfiguration({ ...bucket, EVENT_STORE_URL }).eventStoreUrl).toBe(EVENT_STORE_URL);
    },
  );

  it.each([
    ['ATELIER_WORKER_CONCURENCY', 'ATELIER_WORKER_CONCURRENCY'],
    ['ATELIER_SWEEP_INTERVAL', 'ATELIER_SWEEP_INTERVAL_MS'],
    ['ATELIER_HOMES', 'ATELIER_HOME'],
    ['ATELIER_PORT', 'PORT'],
  ])('refuses %s, which is none of ours, and names the nearest one', (name, nearest) => {
    const complaint = `${name} is not a setting: did you mean ${nearest}?`;
    expect(() => loadConfiguration({ ...bucket, [name]: '1' })).toThrow(new ConfigurationError(complaint));
  });

  it('lets other names stand, whatever they are', () => {
    const others = { PATH: '/bin', ATELIER_AWAITS_SETTINGS: '1', ATELIER_TEST_X: '1', ATELIERS: '1' };
    const ofEarlierRelease = { ATELIER_PROCESS_BATCH: '' };
    expect(() => loadConfiguration({ ...bucket, ...others, ...ofEarlierRelease })).not.toThrow();
  });

  const projectorBounds = [
    ['ATELIER_ORPHAN_HORIZON_MS', 'orphanHorizonMs', 60_000, 1_000, 86_400_000],
    ['ATELIER_PROJECTOR_PAUSE_MS', 'pauseMs', 25, 5, 1_000],
    ['ATELIER_SWEEP_INTERVAL_MS', 'sweepIntervalMs', 10_000, 100, 3_600_000],
    ['ATELIER_SWEEP_BATCH', 'sweepBatch', 500, 1, 10_000],
  ] as const;

  it.each(projectorBounds)('takes %s within its bounds only', (name, field, usual, least, most) => {
    const projectorWith = (value: string) => loadConfiguration({ ...bucket, [name]: value }).projector[field];
    expect(projectorWith('')).toBe(usual);
    for (const value of [least, most]) expect(projectorWith(String(value))).toBe(value);
    for (const value of [least - 1, most + 1, 1.5, 'x', -1]) {
      const complaint = `${name} must be a whole number from ${least} to ${most}, not "${value}"`;
      expect(() => projectorWith(String(value))).toThrow(complaint);
    }
  });

  it('documents the defaults that hold', async () => {
    const page = await readFile('docs/configuration.md', 'utf8');
    const documented = (name: string) => {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';
      return row.split('|')[2]?.trim();
    };
    const names = {
      HOST: 'host',
      PORT: 'port',
      ATELIER_HOME: 'home',
      RATE_LIMIT_STORE: 'rateLimitStore',
      ATELIER_UNPROVEN_EVENTS: 'unprovenEvents',
      AUTH_FAILURES_PER_MIN: 'authFailuresPerMin',
      ATELIER_KEY_GRACE_MS: 'keyGraceMs',
      METRICS: 'metrics',
      S3_REGION: 's3Region',
      S3_FORCE_PATH_STYLE: 's3ForcePathStyle',
      ATELIER_STOP_GRACE_MS: 'stopGraceMs',
      ATELIER_WORKER_CONCURRENCY: 'workerConcurrency',
      ATELIER_TENANT_CONCURRENCY: 'tenantConcurrency',
      ATELIER_REMOTE_CONCURRENCY: 'remoteConcurrency',
      ATELIER_REMOTE_TENANT_CONCURRENCY: 'remoteTenantConcurrency',
      ...Object.fromEntries(projectorBounds.map(([name, field]) => [name, field])),
    };
    expect(Object.values(names).sort()).toEqual(Object.keys(defaults).sort());
    for (const [name, field] of Object.entries(names))
      expect([name, documented(name)]).toEqual([name, `\`${defaults[field as keyof typeof defaults]}\``]);
  });

  it('documents every setting of the projector with its default and its bounds', async () => {
    const page = await readFile('docs/configuration.md', 'utf8');
    for (const [name, , usual, least, most] of projectorBounds) {
      const bounds = [least, most].map((bound) => bound.toLocaleString('en')).join(' – ');
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';
      const [, , byDefault, within] = row.split('|').map((cell) => cell.trim());
      expect([name, byDefault, within]).toEqual([name, `\`${usual}\``, bounds]);
    }
  });
});
