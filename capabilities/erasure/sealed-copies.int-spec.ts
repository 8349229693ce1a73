import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { erasedText } from '#domain/erased.js';
import { name, only, openSealedLog, registered, titleOf } from '#event-store/testing/sealed-log.js';
import { sealedCopies } from './sealed-copies.js';

const log = await openSealedLog();
afterAll(log.close);

/** A log that a copy has encrypted: its things were erased, or their tenant was closed, while their words were plain. */
describe('a copy that encrypts the words of erased things', () => {
  const append = async (tenant: string, stream: string, type: string, data: object) => {
    const { store } = log.processWith(log.keysOf());
    const event = { ...registered(tenant), id: randomUUID(), type, data };
    await store.append(stream, stream.includes('.product-') ? 0n : 'no-stream', [event]);
  };

  it('erases those words, and those of closed tenants, and no others', async () => {
    const at = '2026-11-26T12:00:00.000Z';
    const erased = (words: boolean) => ({ productId: 'p1', erasureId: 'e1', assetIds: ['a1'], words, at });
    const [gone, pictureGone, closed, stays] = [
      await log.tenantWithWords(),
      await log.tenantWithWords(),
      await log.tenantWithWords(),
      await log.tenantWithWords(),
    ];
    await append(gone.owner.tenant, gone.stream, 'ProductErased', erased(true));
    await append(pictureGone.owner.tenant, pictureGone.stream, 'ProductErased', erased(false));
    const { tenant } = closed.owner;
    await append(tenant, `live.closing-${tenant}`, 'TenantClosed', { at });

    for (let round = 0; round < 2; round++) await sealedCopies.sealed!(log.processWith(log.keysOf()));
    const { store } = log.processWith(log.keysOf());
    const titles = [gone, closed, pictureGone, stays].map(async ({ stream }) =>
      titleOf(await only(store, stream)),
    );
    expect(await Promise.all(titles)).toEqual([erasedText, erasedText, name, name]);
  });
});
