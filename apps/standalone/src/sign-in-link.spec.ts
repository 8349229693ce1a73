import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '#platform/configuration.js';
import { printsLink, SignInLink } from './sign-in-link.js';

const settings = {
  host: '127.0.0.1',
  storage: { kind: 'folder' as const, directory: '/tmp/pictures', signingSecret: 'x' },
  trustedProxies: [],
};

describe('a start prints a link', () => {
  it.each(['127.0.0.1', '127.8.0.1', '::1', 'localhost'])('on %s, with all defaults', (host) => {
    expect(printsLink({ ...settings, host }, {})).toBe(true);
  });

  it.each(['0.0.0.0', '::', '192.168.1.4', 'localhost.example.com'])('not on %s', (host) => {
    expect(printsLink({ ...settings, host }, {})).toBe(false);
  });

  it.each(['DATABASE_URL', 'DATABASE_URL_FILE', 'EVENT_STORE_URL', 'EVENT_STORE_URL_FILE', 'PUBLIC_URL'])(
    'not with %s',
    (name) => {
      expect(printsLink(settings, { [name]: 'anything' })).toBe(false);
    },
  );

  it('not with a bucket, behind a proxy, or in production', () => {
    const { storage } = loadConfiguration({
      DATABASE_URL: 'postgres://db/x',
      S3_BUCKET: 'pictures',
      S3_ACCESS_KEY_ID: 'x',
      S3_SECRET_ACCESS_KEY: 'x',
    });
    expect(storage.kind).toBe('s3');
    expect(printsLink({ ...settings, storage }, {})).toBe(false);
    expect(printsLink({ ...settings, trustedProxies: ['loopback'] }, {})).toBe(false);
    expect(printsLink(settings, { NODE_ENV: 'production' })).toBe(false);
  });
});

describe('a link', () => {
  const warnings: unknown[] = [];
  const warn = (because: unknown) => void warnings.push(because);

  it('has 256 random bits, and gives a key to the first of many', async () => {
    const link = new SignInLink(() => Promise.resolve('sk_test_1'));
    expect(link.token).toMatch(/^[\w-]{43}$/);
    expect(new SignInLink(() => Promise.resolve('')).token).not.toBe(link.token);
    const answers = await Promise.all([1, 2, 3].map(() => link.take(link.token, warn)));
    expect(answers).toEqual([{ kind: 'key', key: 'sk_test_1' }, { kind: 'used' }, { kind: 'used' }]);
  });

  it('is not used up by wrong tokens', async () => {
    const link = new SignInLink(() => Promise.resolve('sk_test_1'));
    for (const wrong of ['', 'x', `${link.token}x`, link.token.slice(1), '\u{1F511}'.repeat(20)])
      expect(await link.take(wrong, warn)).toEqual({ kind: 'unknown' });
    expect(await link.take(link.token, warn)).toMatchObject({ kind: 'key' });
  });

  it('ends after 15 minutes', async () => {
    let now = 1_000;
    const link = new SignInLink(
      () => Promise.resolve('sk_test_1'),
      () => now,
    );
    now += 15 * 60_000 + 1;
    expect(await link.take(link.token, warn)).toEqual({ kind: 'ended' });
  });

  it('stays open if no key can be issued', async () => {
    let fails = true;
    const link = new SignInLink(() =>
      fails ? Promise.reject(new Error('no database')) : Promise.resolve('sk_test_1'),
    );
    expect(await link.take(link.token, warn)).toEqual({ kind: 'failed' });
    expect(warnings).toEqual([new Error('no database')]);
    fails = false;
    expect(await link.take(link.token, warn)).toMatchObject({ kind: 'key' });
  });
});
