import { describe, expect, it } from 'vitest';
import type { DomainEvent, EventOfType } from '#domain/events.js';
import { foldRow } from '#read-store/read-model.js';
import type { StreamCategory } from '#domain/streams.js';
import { at, cancelled, entryRetired, inStream, stored } from '../testing/stories.js';
import { usageReadModel } from './usage.read-model.js';

const facts = { title: 'Coat', externalRef: 'sku', description: null, garmentCategoryId: null, images: [] };
const assigned: EventOfType<'ExternalRefAssigned'> = {
  type: 'ExternalRefAssigned',
  data: { externalRef: 'sku', productId: 'P', tenant: 'acme', at: at(4) },
};
const registered: EventOfType<'ProductRegistered'> = {
  type: 'ProductRegistered',
  data: { ...facts, productId: 'P', tenant: 'acme', at: at(4) },
};
const revised = (externalRef: string | null): EventOfType<'ProductRevised'> => ({
  type: 'ProductRevised',
  data: { ...facts, externalRef, at: at(4) },
});
const archived: EventOfType<'ProductArchived'> = {
  type: 'ProductArchived',
  data: { reason: 'gone', at: at(4) },
};
const endOf = (parentJobId: string | null): EventOfType<'JobCancelled'> => ({
  ...cancelled,
  data: { ...cancelled.data, tenant: 'acme', parentJobId },
});

/** The event of one call in a stream. */
const left = (
  category: StreamCategory,
  id: string,
  event: DomainEvent,
  { actor = 'key:shop', causationId = 'cause' } = {},
) => inStream(category, id, [event], { actor, requestId: 'R', causationId });

const posted = { causationId: 'product:R' };
const patched = { causationId: 'revise-product:R' };
const cancel = ['POST', '/v1/jobs/{public_id}/cancel', 200] as const;
const patch = ['PATCH', '/v1/products/{public_id}', 200, null] as const;

describe("the usage row of a caller's write that costs nothing", () => {
  it.each([
    ['an upload', left('asset', 'A', stored('A')), ['POST', '/v1/uploads', 201, null]],
    [
      'a retired entry',
      left('asset', 'A', entryRetired('A')),
      ['DELETE', '/v1/catalog/{resource}/{public_id}', 204, null],
    ],
    [
      'a new product',
      [...left('product', 'sku', assigned), ...left('product', 'P', registered, posted)],
      ['POST', '/v1/products', 201, null],
    ],
    [
      'a product that is posted again',
      left('product', 'P', revised('sku'), posted),
      ['POST', '/v1/products', 200, null],
    ],
    ['a product that is changed', left('product', 'P', revised('sku'), patched), patch],
    ['a product without a reference', left('product', 'P', revised(null), posted), patch],
    [
      'a product that is changed and archived',
      [...left('product', 'P', revised('sku'), posted), ...left('product', 'P', archived, posted)],
      patch,
    ],
    ['a cancelled job', left('job', 'J', cancelled), [...cancel, 'J']],
    ['a cancelled job of a batch', left('job', 'J-1', endOf('J')), [...cancel, 'J-1']],
    [
      'a cancelled batch with its jobs',
      [...left('job', 'J', endOf(null)), ...left('job', 'J-1', endOf('J'))],
      [...cancel, 'J'],
    ],
  ] as const)('tells of %s, in whatever order its events are folded', (_, events, call) => {
    const [method, endpoint, httpStatus, jobId] = call;
    for (const each of [events, [...events].reverse()])
      expect(foldRow(usageReadModel, each)).toEqual({
        requestId: 'R',
        tenant: 'acme',
        method,
        endpoint,
        httpStatus,
        jobId,
        status: 'SUCCESS',
        creditsCharged: 0,
        creditsRefunded: 0,
        openCharges: 0,
        settledCharges: 0,
        createdAt: new Date(at(4)),
        resolvedAt: new Date(at(4)),
        submittedAt: null,
        latencyMs: null,
        errorCode: null,
        errorMessage: null,
      });
  });

  it.each(['operator', 'operator:ada', 'worker:1', 'saga:orphan-sweep'])(
    'is not made by the same events of %s',
    (actor) => {
      const events = [
        ...left('asset', 'A', stored('A'), { actor }),
        ...left('asset', 'A', entryRetired('A'), { actor }),
        ...left('product', 'P', archived, { actor }),
        ...left('job', 'J', cancelled, { actor }),
      ];
      expect(events.flatMap((event) => usageReadModel.keysOf(event))).toEqual([]);
    },
  );
});
