import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '#platform/configuration.js';

const given = {
  DATABASE_URL: 'postgres://db/x',
  URL_SIGNING_SECRET: 'x',
  ATELIER_PROVENANCE_CERT: 'no certificate',
};

describe('a certificate that cannot be read', () => {
  it('is a problem of the settings', () => {
    expect(() => loadConfiguration(given)).toThrow(/ATELIER_PROVENANCE_CERT/);
  });

  it('is remembered where the operator accepts unsigned pictures', () => {
    const { provenance } = loadConfiguration({ ...given, ATELIER_UNSIGNED_PICTURES: 'accept' });
    expect(provenance).toMatchObject({
      unsigned: 'accept',
      signer: undefined,
      problem: expect.stringContaining('ATELIER_PROVENANCE_CERT'),
    });
  });
});
