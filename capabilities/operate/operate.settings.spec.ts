import { describe, expect, it } from 'vitest';
import { SettingsReader } from '#platform/configuration.js';
import { readOperateSettings } from './operate.settings.js';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

function read(variables: Record<string, string>) {
  const settings = new SettingsReader(variables);
  return { ...readOperateSettings(settings), problems: settings.problems };
}

describe('the nightly audit', () => {
  it.each([
    [undefined, 180],
    ['00:00', 0],
    ['23:59', 1_439],
    ['off', undefined],
  ])('at %s', (at, minute) => {
    const { nightlyAudit, problems } = read(at === undefined ? {} : { ATELIER_AUDIT_AT: at });
    expect({ minute: nightlyAudit.minute, problems }).toEqual({ minute, problems: [] });
  });

  it.each(['24:00', '3:00', '03:60', 'never', '03:00 UTC'])('is not at %s', (at) => {
    expect(read({ ATELIER_AUDIT_AT: at }).problems).toEqual([
      `ATELIER_AUDIT_AT must be a time in UTC such as 03:00, or off; not "${at}"`,
    ]);
  });
});

describe('alerts', () => {
  it('go to any address, in private networks as well, once to each', () => {
    const { alerts, problems } = read({
      ATELIER_ALERT_URLS: 'https://hooks.example/a, http://10.0.0.7:8080/b?c=d,https://hooks.example/a',
      ATELIER_ALERT_SECRET: secret,
    });
    expect({ ...alerts, problems }).toEqual({
      secretUrls: ['https://hooks.example/a', 'http://10.0.0.7:8080/b?c=d'],
      secret,
      afterMs: 120_000,
      problems: [],
    });
  });

  it('need a secret', () => {
    expect(read({ ATELIER_ALERT_URLS: 'https://hooks.example/a' }).problems).toEqual([
      expect.stringMatching(/^ATELIER_ALERT_SECRET is not set: .*openssl/),
    ]);
  });

  it.each(['secret', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(31)}!`, secret.slice(6)])(
    'are not signed with %s',
    (given) => {
      const { problems } = read({ ATELIER_ALERT_SECRET: given });
      expect(problems).toEqual([expect.stringMatching(/^ATELIER_ALERT_SECRET must be whsec_/)]);
    },
  );

  it.each([
    'ftp://hooks.example/token',
    'hooks.example/token',
    'https://user:token@hooks.example',
    'https://hooks.example/#token',
    'https://hooks.example/token,',
    Array.from({ length: 11 }, (_, port) => `https://hooks.example:${1_000 + port}/token`).join(','),
  ])('do not go to %s, and the complaint does not repeat it', (urls) => {
    const { problems } = read({ ATELIER_ALERT_URLS: urls, ATELIER_ALERT_SECRET: secret });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^ATELIER_ALERT_URLS must be /);
    expect(problems[0]).not.toContain('token');
  });
});
