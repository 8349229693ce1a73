import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '#platform/configuration.js';
import { lapseOf, type SigningCertificate } from '../provenance.key.js';

const given = {
  DATABASE_URL: 'postgres://db/x',
  URL_SIGNING_SECRET: 'x',
  ATELIER_PROVENANCE_CERT: 'no certificate',
};

describe('a certificate', () => {
  const [notBefore, notAfter] = [new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z')];
  const certificate = { notBefore, notAfter } as SigningCertificate;
  const around = (time: Date, ms: number) => lapseOf(certificate, new Date(time.getTime() + ms));

  it('signs from the first moment to the last', () => {
    expect(around(notBefore, -1)).toBe('is not valid before 2026-01-01T00:00:00.000Z');
    expect([around(notBefore, 0), around(notAfter, 0)]).toEqual([undefined, undefined]);
    expect(around(notAfter, 1)).toBe('expired on 2027-01-01T00:00:00.000Z');
  });
});

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
