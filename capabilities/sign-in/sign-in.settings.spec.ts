import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '#platform/configuration.js';

const needed = { DATABASE_URL: 'postgres://database', URL_SIGNING_SECRET: 'unused' };
const settingsWith = (variables: Record<string, string> = {}) =>
  loadConfiguration({ ...needed, ...variables }).admin;

const oidc = {
  ATELIER_ADMIN_PUBLIC_URL: 'https://atelier.example/',
  ATELIER_OIDC_ISSUER: 'https://login.example',
  ATELIER_OIDC_CLIENT_ID: 'atelier',
  ATELIER_OIDC_CLIENT_SECRET: 'a secret of tests',
};

describe('the settings of the sign-in', () => {
  it("stand beside those of the operators' server", () => {
    expect(settingsWith()).toMatchObject({ host: '127.0.0.1', enabled: true, oidc: undefined });
    expect(settingsWith({ ...oidc, ATELIER_ADMIN_PORT: '3001' })).toMatchObject({
      port: 3001,
      publicUrl: 'https://atelier.example',
      oidc: { issuer: 'https://login.example', clientId: 'atelier', nameClaim: 'email', roles: [] },
    });
  });

  it('give roles that there are to values of a claim', () => {
    const rolesWith = (value: string) => settingsWith({ ...oidc, ATELIER_OIDC_ROLES: value }).oidc?.roles;
    expect(rolesWith('atelier-admins=admin, shop team = support')).toEqual([
      ['atelier-admins', 'admin'],
      ['shop team', 'support'],
    ]);
    for (const value of ['admins', 'admins=', 'admins=root', 'admins=admin,', 'admins=toString'])
      expect(() => rolesWith(value)).toThrow('ATELIER_OIDC_ROLES must be pairs');
  });

  it('need an issuer whose answers are proven, and an address to return to', () => {
    const { ATELIER_ADMIN_PUBLIC_URL: _url, ...withoutUrl } = oidc;
    expect(() => settingsWith(withoutUrl)).toThrow('needs ATELIER_ADMIN_PUBLIC_URL');
    const plain = { ...oidc, ATELIER_OIDC_ISSUER: 'http://login.example' };
    expect(() => settingsWith(plain)).toThrow('ATELIER_OIDC_ISSUER must begin with https://');
    expect(settingsWith({ ...oidc, ATELIER_OIDC_ISSUER: 'http://127.0.0.1:9' }).oidc).toBeDefined();
    const unnamed = { ...oidc, ATELIER_OIDC_CLIENT_ID: '' };
    expect(() => settingsWith(unnamed)).toThrow('ATELIER_OIDC_CLIENT_ID is not set');
  });
});
