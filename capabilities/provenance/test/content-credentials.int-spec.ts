import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { FinishedPicture } from '#application/render/finished-pictures.js';
import { logStreams } from '#capabilities/parts.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { Troubles } from '#platform/troubles.js';
import { blankPicture } from '../../../test/support/blank-picture.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { Workshop } from '../../../test/worker/support/workshop.js';
import { ContentCredentials } from '../content-credentials.js';
import { newHomeCertificate } from '../home-certificate.js';
import { KeptCredentials } from '../kept-credentials.js';
import { readClaimSigner } from '../provenance.key.js';
import { readCredentials } from '../read-credentials.js';
import { TimeStamps } from '../time-stamps.js';
import { finished, markedPicture } from './support/pictures.js';
import { complaintsAbout, hasReference, signedByReference } from './support/reference.js';

const workshop = untilEnd(await Workshop.open());
const pem = newHomeCertificate();
const signer = readClaimSigner(pem, pem);
const { certificate } = signer;
const configuration = {
  provenance: { signer, certificate, unsigned: 'refuse', problem: undefined, timeStamps: {} },
} as unknown as Configuration;

/** The streams that a store was asked for. */
function heard(): { store: EventStore; streams: string[] } {
  const streams: string[] = [];
  const store = new Proxy(workshop.store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name === 'readStream') streams.push(String(args[0]));
        return member.apply(target, args) as unknown;
      };
    },
  });
  return { store, streams };
}

function finisher(store: EventStore) {
  const error = vi.fn<(facts: object, message: string) => void>();
  const logger = { error } as unknown as Logger;
  const kept = new KeptCredentials(store, workshop.storage, logger);
  const clock = () => new Date();
  const stamps = new TimeStamps(configuration, clock, new Troubles(), logger);
  return { finisher: new ContentCredentials(store, kept, stamps, configuration, clock, logger), error };
}

async function pictureOf(jobId: string, assetId: string): Promise<FinishedPicture> {
  const picture = finished(await markedPicture('image/png'), 'image/png');
  return { ...picture, environment: 'test', jobId, assetId };
}

describe('the signer of pictures', () => {
  it('reads the order of a job, and the credentials of its inputs, once', async () => {
    const { jobId } = await workshop.dispatch(await workshop.tenantWith(100));
    const { assetId, storageKey, sha256 } = await workshop.upload('tenant', {
      bytes: await blankPicture(),
      width: 200,
      height: 200,
    });
    const inputs = [{ name: 'product_image', assetId, storageKey, sha256 }];
    const { store, streams } = heard();
    const signs = finisher(store);
    for (const each of ['one', 'two', 'three'])
      await signs.finisher.finish({ ...(await pictureOf(jobId, each)), inputs });
    const read = (category: 'job' | 'asset', id: string) =>
      streams.filter((stream) => stream === streamName('test', category, id));
    expect([read('job', jobId).length, read('asset', assetId).length]).toEqual([1, 1]);
  });

  it.skipIf(!hasReference)(
    'names an ingredient by its hash alone where its manifests would take more than a quarter of the bytes',
    async () => {
      const { jobId } = await workshop.dispatch(await workshop.tenantWith(100));
      const original = await signedByReference(await markedPicture('image/jpeg'), 'image/jpeg');
      const picture = { ...(await pictureOf(jobId, 'bounded')), original };
      const { finisher: signs } = finisher(workshop.store);
      const whole = await signs.finish({ ...picture, maxBytes: 10 * original.length });
      const bounded = await signs.finish({ ...picture, maxBytes: 2 * original.length });
      expect(whole.equals(await signs.finish(picture))).toBe(true);
      expect(bounded.length).toBeLessThan(whole.length - original.length / 2);
      const ingredients = (bytes: Buffer) => readCredentials(bytes)!.ingredients;
      const parent = { title: 'answer of the image model', relationship: 'parentOf' };
      expect(ingredients(whole)).toEqual([{ ...parent, hasManifest: true }]);
      expect(ingredients(bounded)).toEqual([{ ...parent, hasManifest: false }]);
      expect(await complaintsAbout(bounded)).toEqual([]);
    },
  );

  it('signs without a seal, and says so, when the stream of seals cannot be read', async () => {
    const { jobId } = await workshop.dispatch(await workshop.tenantWith(100));
    const [seals = ''] = logStreams;
    // A seal whose last event is in no stream.
    const data = { last: { stream: streamName('test', 'job', jobId), revision: 1_000 } };
    const context = { requestId: 'r', causationId: 'c', tenant: 't', actor: 'saga:sealer' };
    const metadata = { ...context, schemaVersion: 1, recordedAt: new Date().toISOString() };
    await workshop.store.append(seals, 'no-stream', [
      { id: randomUUID(), type: 'RangeSealed', data, metadata },
    ]);

    const { finisher: signs, error } = finisher(workshop.store);
    const read = readCredentials(await signs.finish(await pictureOf(jobId, 'unsealed')));
    expect(read).toMatchObject({ problems: [], order: { ordered_by: { revision: 0 } } });
    expect(read!.order).not.toHaveProperty('seal');
    expect(error).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('signed without it'));
  });
});
