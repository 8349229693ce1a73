import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EnginePicture, ImageEngine } from '@atelier/engine';
import type { Configuration } from '#platform/configuration.js';
import { Workshop } from '../../../test/worker/support/workshop.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { carrierOf } from '../carriers.js';
import { newHomeCertificate } from '../home-certificate.js';
import { readClaimSigner } from '../provenance.key.js';
import { drawnTypes, unmarkedPicture } from './support/pictures.js';
import { complaintsAbout, hasReference, manifestOf } from './support/reference.js';

const workshop = untilEnd(await Workshop.open());
await workshop.startProjector();

type Provenance = Configuration['provenance'];

function signingWith(pem: string, more: Partial<Provenance> = {}): { provenance: Provenance } {
  const signer = readClaimSigner(pem, pem);
  const { certificate } = signer;
  const timeStamps = { url: undefined, authorities: [] };
  const common = { unsigned: 'refuse', verifyPage: false, problem: undefined, timeStamps } as const;
  return { provenance: { signer, certificate, ...common, ...more } };
}

const width = 64;
const height = 48;

/** One picture of each format. */
const engine: ImageEngine = {
  name: 'plain',
  async render() {
    const pictures = drawnTypes.map(async (contentType): Promise<EnginePicture> => {
      const bytes = await unmarkedPicture(contentType, width, height);
      return { kind: 'on_model_render', label: contentType, bytes, contentType, width, height, meta: {} };
    });
    return { pictures: await Promise.all(pictures), message: 'Done', model: 'plain-1' };
  },
};

async function render(more: Partial<Configuration>) {
  const tenant = await workshop.tenantWith(100);
  const worker = await workshop.startWorker(engine, { more });
  const ids = await workshop.dispatch(tenant);
  await workshop.ended(tenant, ids);
  await worker.stop();
  const [succeeded] = await workshop.find('job', ids.jobId, 'JobSucceeded');
  const stored = (succeeded?.artifacts ?? []).map(async ({ storageKey, sha256 }) => {
    const bytes = await workshop.storage.get(storageKey);
    return { bytes, sha256 };
  });
  return { tenant, ...ids, pictures: await Promise.all(stored) };
}

const tenYearsAgo = () => new Date(new Date().setFullYear(new Date().getFullYear() - 11));

describe('a worker', () => {
  it.skipIf(!hasReference)('stores the bytes that it signed, in each format, and their hash', async () => {
    const { pictures, jobId, tenant } = await render(signingWith(newHomeCertificate()));
    expect(pictures.map(({ bytes }) => carrierOf(bytes))).toEqual(drawnTypes);
    for (const { bytes, sha256 } of pictures) {
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
      expect(await complaintsAbout(bytes)).toEqual([]);
      const { assertions } = await manifestOf(bytes);
      expect(assertions.find(({ label }) => label === 'atelier.order')?.data).toMatchObject({
        job: jobId,
        environment: 'test',
        model: 'plain-1',
      });
      expect(bytes.includes(tenant)).toBe(false);
      expect(String(bytes)).toContain('newscodes/digitalsourcetype/');
    }
  });

  it.each([
    ['has expired', signingWith(newHomeCertificate(tenYearsAgo())), /expired on/],
    [
      'is missing',
      {
        provenance: {
          ...signingWith(newHomeCertificate()).provenance,
          certificate: undefined,
          signer: undefined,
        },
      },
      /ATELIER_PROVENANCE_CERT is not set/,
    ],
  ])('does not start if its certificate %s, and says what to set', async (_, more, why) => {
    const starting = workshop.startWorker(engine, { more });
    await expect(starting).rejects.toThrow(why);
    await expect(starting).rejects.toThrow('ATELIER_UNSIGNED_PICTURES=accept');
  });

  it('gives out pictures without credentials if the operator accepts that', async () => {
    const more = signingWith(newHomeCertificate(tenYearsAgo()), { unsigned: 'accept' });
    const { pictures } = await render(more);
    expect(pictures).toHaveLength(drawnTypes.length);
    for (const { bytes } of pictures) expect(bytes.includes('c2pa')).toBe(false);
  });

  it('fails and refunds a job when its certificate expires meanwhile', async () => {
    const more = signingWith(newHomeCertificate());
    const soon = { ...more.provenance.signer!.certificate, notAfter: new Date(Date.now() + 2_000) };
    const signer = { ...more.provenance.signer!, certificate: soon };
    const tenant = await workshop.tenantWith(100);
    const late: ImageEngine = {
      name: 'late',
      async render(request, context) {
        while (Date.now() <= soon.notAfter.getTime()) await new Promise((done) => setTimeout(done, 50));
        return engine.render(request, context);
      },
    };
    const worker = await workshop.startWorker(late, { more: { provenance: { ...more.provenance, signer } } });
    const ids = await workshop.dispatch(tenant);
    await workshop.ended(tenant, ids);
    await worker.stop();
    expect(await workshop.find('job', ids.jobId, 'JobFailed')).toMatchObject([
      { code: 'ENGINE_MISCONFIGURED', message: expect.stringContaining('could not be signed') },
    ]);
    expect(await workshop.balance(tenant)).toBe(100);
  });
});
