import { describe, expect, it } from 'vitest';
import type { Finished } from '../../../test/journeys/client.js';
import { Library } from '../../../test/journeys/library.js';
import { startService } from '../../../test/journeys/service.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { complaintsAbout, hasReference, manifestOf } from './support/reference.js';

const service = untilEnd(await startService(200));
const library = new Library(service.client);

interface Given {
  readonly role: string;
  readonly kind: string;
  readonly bytes: Buffer;
}

/** All pictures of a job, those on the way as well, as a caller downloads them. */
const picturesOf = ({ events }: Finished): Promise<Given[]> =>
  Promise.all(
    events
      .flatMap(({ artifacts }) => artifacts)
      .map(async ({ role, kind, image_url: url }) => ({
        role,
        kind,
        bytes: await service.client.download(url),
      })),
  );

describe.skipIf(!hasReference)('the pictures of npm start', () => {
  it('are signed, each of them, and say which order they belong to', async () => {
    const finished = await library.dressed('garment-photograph');
    const pictures = await picturesOf(finished);
    expect(new Set(pictures.map(({ role }) => role))).toEqual(new Set(['intermediate', 'final']));
    const complaints = await Promise.all(
      pictures.map(async ({ kind, bytes }) => [kind, await complaintsAbout(bytes)] as const),
    );
    expect(complaints).toEqual(pictures.map(({ kind }) => [kind, []]));
    const manifest = await manifestOf(pictures.findLast(({ role }) => role === 'final')!.bytes);
    expect(manifest.signature_info).toMatchObject({ alg: 'Ed25519' });
    const order = manifest.assertions.find(({ label }) => label === 'atelier.order')?.data;
    expect(order).toMatchObject({
      job: finished.job.public_id,
      workflow: 'product-to-model-direct',
      environment: 'live',
      engine: 'sketch',
      inputs: [
        { name: 'product_image', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { name: 'model_image', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
      ordered_by: { stream: `live.job-${finished.job.public_id}`, revision: 0 },
      seal: { root: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });
});
