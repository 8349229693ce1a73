import { describe, expect, it, vi } from 'vitest';
import { loadConfiguration } from '#platform/configuration.js';
import { newHomeCertificate } from '../home-certificate.js';
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

describe('an authority of time', () => {
  const certificate = newHomeCertificate();
  const read = (more: Record<string, string>) =>
    loadConfiguration({ ...given, ATELIER_PROVENANCE_CERT: '', ...more }).provenance.timeStamps;

  it.each(['https://tsa.example/tsr', 'http://tsa.example'])('may be at %s', (url) => {
    const settings = { ATELIER_PROVENANCE_TSA_URL: url, ATELIER_PROVENANCE_TSA_CERT: certificate };
    expect(read(settings)).toMatchObject({ url, authorities: [{ subject: expect.any(String) }] });
    expect(read({})).toEqual({ url: undefined, authorities: [] });
  });

  it.each([
    ['ATELIER_PROVENANCE_TSA_URL', 'ftp://tsa.example'],
    ['ATELIER_PROVENANCE_TSA_URL', 'https://'],
    ['ATELIER_PROVENANCE_TSA_URL', 'https://tsa.example:port'],
    ['ATELIER_PROVENANCE_TSA_URL', 'https://name:secret@tsa.example'],
    ['ATELIER_PROVENANCE_TSA_CERT', 'secret'],
    ['ATELIER_PROVENANCE_TSA_CERT', '-----BEGIN CERTIFICATE-----secret-----END CERTIFICATE-----'],
  ])('is refused if %s is %s, without repeating it', (name, value) => {
    const refusal = vi.fn<() => unknown>(() => read({ [name]: value }));
    expect(refusal).toThrow(name);
    expect(refusal).not.toThrow('secret');
  });
});
