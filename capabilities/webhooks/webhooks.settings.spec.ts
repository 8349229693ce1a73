import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '#platform/configuration.js';

const needed = { DATABASE_URL: 'postgres://database', URL_SIGNING_SECRET: 'unused' };
const settingsWith = (variables: Record<string, string> = {}) =>
  loadConfiguration({ ...needed, ...variables }).webhooks;

describe('the settings of webhooks', () => {
  it('take networks that may be called, and nothing else in their place', () => {
    const networksWith = (value: string) =>
      settingsWith({ ATELIER_WEBHOOK_ALLOWED_NETWORKS: value }).allowedNetworks;
    expect(networksWith('')).toEqual([]);
    expect(networksWith('10.1.0.0/16, fd12::/16')).toEqual(['10.1.0.0/16', 'fd12::/16']);
    for (const value of ['10.1.0.0', 'loopback', '10.1.0.0/33', '10.0.0.0/8,', 'shop.example/8'])
      expect(() => networksWith(value)).toThrow('ATELIER_WEBHOOK_ALLOWED_NETWORKS must be networks');
  });

  it('are documented with the defaults that hold', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    const documented = (name: string) =>
      page
        .split('\n')
        .find((line) => line.startsWith(`| \`${name}\``))
        ?.split('|')[2]
        ?.trim();
    const { allowHttp, timeoutMs, concurrency } = settingsWith();
    expect(documented('ATELIER_WEBHOOK_ALLOW_HTTP')).toBe(`\`${allowHttp}\``);
    expect(documented('ATELIER_WEBHOOK_TIMEOUT_MS')).toBe(`\`${timeoutMs}\``);
    expect(documented('ATELIER_WEBHOOK_CONCURRENCY')).toBe(`\`${concurrency}\``);
  });
});
