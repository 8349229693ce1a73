import { describe, expect, it, vi } from 'vitest';
import { newHomeCertificate } from '../../capabilities/provenance/home-certificate.js';
import { readClaimSigner } from '../../capabilities/provenance/provenance.key.js';
import {
  complaintsAbout,
  hasReference,
  judged,
  manifestOf,
  signedByReference,
} from '../../capabilities/provenance/test/support/reference.js';
import { FalDouble, family } from '../../capabilities/vendors/test/families/fal.js';
import { tryOnOf } from '../../capabilities/vendors/test/support/served-workflows.js';
import {
  manyJobsMs,
  photo,
  VendorHouse,
  vendorModelOf,
} from '../../capabilities/vendors/test/support/vendor-house.js';
import { untilEnd } from '../support/until-end.js';

/** A vendor whose pictures have Content Credentials, as those of large vendors do. */
class SigningVendor extends FalDouble {
  protected override async drawn(...asked: Parameters<FalDouble['drawn']>): Promise<Buffer> {
    return signedByReference(await super.drawn(...asked), 'image/jpeg');
  }
}

vi.setConfig({ testTimeout: manyJobsMs, hookTimeout: manyJobsMs });

const double = new SigningVendor();
await double.open();
untilEnd({ [Symbol.asyncDispose]: () => double.close() });
const house = untilEnd(await VendorHouse.open());
const pem = newHomeCertificate();
const signer = readClaimSigner(pem, pem);
const provenance = {
  signer,
  certificate: signer.certificate,
  unsigned: 'refuse',
  verifyPage: false,
  problem: undefined,
  timeStamps: { url: undefined, authorities: [] },
} as const;
const model = vendorModelOf('signing', 'fal', double.url, { ...family.model, workflows: ['try-on'] });
await house.startRoles({ models: [model] }, { provenance });

describe.skipIf(!hasReference)("a vendor's picture with credentials", () => {
  it('keeps them through the whole pipeline: they are those of its parent', async () => {
    const tenant = await house.openTenant();
    const photographs = { person: await photo('#345'), garment: await photo('#c63') };
    const body = { ...(await tryOnOf(house, tenant, photographs)), image_model: 'signing' };
    const { detail } = await house.run(tenant, 'try-on', body);
    expect(detail).toMatchObject({ status: 'SUCCESS' });
    const bytes = await house.download(detail.result!.artifacts[0]!.image_url);
    expect(await complaintsAbout(bytes)).toEqual([]);

    const { ingredients, assertions } = await manifestOf(bytes);
    const [answer, ...inputs] = ingredients!;
    expect(answer).toMatchObject({ title: 'answer of the image model', relationship: 'parentOf' });
    expect(inputs.map(({ relationship }) => relationship)).toEqual(['inputTo', 'inputTo']);
    const { success, failure } = answer!.validation_results!.activeManifest;
    expect(success.map(({ code }) => code)).toContain('assertion.dataHash.match');
    expect(failure.map(({ code }) => code)).toEqual(['signingCredential.untrusted']);
    const { manifests } = (await judged(bytes))!;
    expect(manifests[answer!.active_manifest!]).toMatchObject({
      claim_generator_info: [{ name: 'A vendor' }],
    });
    expect(assertions.find(({ label }) => label === 'c2pa.actions.v2')?.data).toMatchObject({
      actions: [{ action: 'c2pa.opened' }, { action: 'c2pa.edited' }],
    });
  });
});
