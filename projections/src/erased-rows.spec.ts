import { describe, expect, it } from 'vitest';
import { erasedText } from '#domain/erased.js';
import type { DomainEvent } from '#domain/events.js';
import { partWords } from '#event-store/sealed/personal-words.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { assetsReadModel } from './assets/assets.read-model.js';
import { catalogReadModel } from './catalog/catalog.read-model.js';
import { jobsReadModel } from './jobs/jobs.read-model.js';
import { productsReadModel } from './products/products.read-model.js';
import { rendersReadModel } from './renders/renders.read-model.js';
import {
  at,
  cancelled,
  failed,
  inStream,
  queued,
  renderStarted,
  stageCompleted,
  succeeded,
} from './testing/stories.js';
import { timelineReadModel } from './timeline/timeline.read-model.js';

type Event = Parameters<typeof inStream>[2][number];

/** All rows of a read model, by their keys. */
function rowsOf(model: ReadModel<object>, events: readonly ProjectedEvent[]): Record<string, object> {
  const rows = new Map<string, object>();
  for (const event of events) {
    for (const key of model.keysOf(event)) {
      const row = model.evolve(rows.get(key.join('/')), event, key);
      if (row) rows.set(key.join('/'), row);
      else rows.delete(key.join('/'));
    }
  }
  return Object.fromEntries(rows);
}

/** The event as a reader of the log gets it once the key of its words is destroyed. */
function withoutWords<Of extends DomainEvent>(event: Of): Of {
  return { ...event, data: partWords(event.type, event.data)?.data ?? event.data };
}

const tenant = 'acme';
const erasureId = 'E1';
const pictures = [...stageCompleted.data.artifacts, ...succeeded.data.artifacts].map(
  ({ assetId }) => assetId,
);
const jobErased = (assetIds: string[], words: boolean): Event => ({
  type: 'JobErased',
  data: { jobId: 'J', tenant, erasureId, assetIds, words, at: at(9) },
});
const ordered = queued('J', tenant);
const order: Event = {
  ...ordered,
  data: {
    ...ordered.data,
    dataSubjects: ['Anna'],
    idempotency: { keyHash: 'key', bodyHash: 'body' },
  },
};

const ofJobs = [jobsReadModel, timelineReadModel, rendersReadModel, catalogReadModel] as const;
const stories: readonly (readonly [name: string, events: readonly Event[]])[] = [
  ['succeeded', [order, renderStarted, stageCompleted, succeeded]],
  ['failed', [order, renderStarted, failed]],
  ['was cancelled', [order, cancelled]],
];

describe.each(stories)('a job that %s and was erased', (_name, events) => {
  const erased = jobErased(pictures, true);

  it.each(ofJobs.map((model) => [model.name, model as ReadModel<object>] as const))(
    'has the same rows in %s before and after the key of its words is destroyed',
    (_model, model) => {
      const live = rowsOf(model, inStream('job', 'J', [...events, erased]));
      const rebuilt = rowsOf(model, inStream('job', 'J', [...events.map(withoutWords), erased]));
      expect(rebuilt).toEqual(live);
      const words = ['Asha', 'Anna', 'Posed', 'Pose', 'On model', 'refused', 'by the caller'];
      for (const word of words) expect(JSON.stringify(live)).not.toContain(`"${word}`);
    },
  );

  it('keeps the fold of a second erasure equal to that of the first', () => {
    const rows = (...more: Event[]) =>
      rowsOf(jobsReadModel, inStream('job', 'J', [...events, erased, ...more]));
    const again = jobErased(pictures, true);
    expect(Object.values(rows(again)).map((row) => ({ ...row, revision: 0 }))).toEqual(
      Object.values(rows()).map((row) => ({ ...row, revision: 0 })),
    );
  });
});

describe('a job whose words alone were erased', () => {
  const [first, ...others] = succeeded.data.artifacts;
  const model = { ...first!, kind: 'model_portrait', label: 'Zoë' };
  const done: Event = { ...succeeded, data: { ...succeeded.data, artifacts: [model, ...others] } };
  const events = [order, renderStarted, stageCompleted, done];
  const data = {
    jobId: 'J',
    tenant,
    erasureId,
    assetIds: [],
    describedAssetIds: pictures,
    words: true,
    at: at(9),
  };
  const erased: Event = { type: 'JobErased', data };

  it.each(ofJobs.map((each) => [each.name, each as ReadModel<object>] as const))(
    'has the same rows in %s before and after the key of its words is destroyed, and its pictures',
    (_name, readModel) => {
      const live = rowsOf(readModel, inStream('job', 'J', [...events, erased]));
      const rebuilt = rowsOf(readModel, inStream('job', 'J', [...events.map(withoutWords), erased]));
      expect(rebuilt).toEqual(live);
      expect(JSON.stringify(live)).not.toContain('Zoë');
      // The job is erased, and its pictures are not.
      const pictures = Object.values(live).map((row) => ({ ...row, erasedAt: undefined }));
      expect(JSON.stringify(pictures)).not.toContain(`"erasedAt":"${at(9)}"`);
    },
  );

  it('stays in the catalogue', () => {
    const rows = rowsOf(catalogReadModel, inStream('job', 'J', [...events, erased]));
    expect(rows[model.assetId]).toMatchObject({ label: erasedText, attributes: {}, retiredAt: null });
  });
});

describe('a job of which one picture was erased', () => {
  const [picture] = succeeded.data.artifacts;
  const erased = jobErased([picture!.assetId], false);
  const story = inStream('job', 'J', [order, renderStarted, stageCompleted, succeeded, erased]);

  it('keeps its words, and says when the picture was erased', () => {
    const [row] = Object.values(rowsOf(jobsReadModel, story)) as { displayName: string; result: object[] }[];
    expect(row).toMatchObject({ displayName: ordered.data.displayName, erasedAt: null });
    expect(row!.result[0]).toMatchObject({
      erasedAt: at(9),
      label: erasedText,
      sha256: erasedText,
      meta: {},
    });
    const timeline = rowsOf(timelineReadModel, story);
    expect(timeline['J/3']).toMatchObject({ message: 'Posed.', artifacts: [{ label: 'Pose' }] });
    expect(timeline['J/4']).toMatchObject({
      artifacts: [{ erasedAt: at(9) }, ...succeeded.data.artifacts.slice(1)],
    });
  });
});

describe('a product and a picture that were erased', () => {
  const facts = {
    title: 'Coat of Anna',
    externalRef: 'sku-1',
    description: 'Wool',
    garmentCategoryId: null,
    images: [
      { assetId: 'A1', storageKey: 'k1', sha256: 'h1', role: 'primary' as const, dataSubjects: ['Anna'] },
      { assetId: 'A2', storageKey: 'k2', sha256: 'h2', role: 'gallery' as const },
    ],
    dataSubjects: ['Anna'],
  };
  const registered: Event = {
    type: 'ProductRegistered',
    data: { productId: 'P', tenant, ...facts, at: at(0) },
  };
  const productErased = (assetIds: string[], words: boolean): Event => ({
    type: 'ProductErased',
    data: { productId: 'P', tenant, erasureId, assetIds, words, at: at(9) },
  });

  it('have the same rows before and after the key of their words is destroyed', () => {
    const end = productErased(['A1'], true);
    const live = rowsOf(productsReadModel, inStream('product', 'P', [registered, end]));
    expect(rowsOf(productsReadModel, inStream('product', 'P', [withoutWords(registered), end]))).toEqual(
      live,
    );
    expect(live['P']).toMatchObject({ status: 'erased', title: erasedText, dataSubjects: null });

    const stored: Event = {
      type: 'AssetStored',
      data: {
        assetId: 'A1',
        tenant,
        storageKey: 'k1',
        contentType: 'image/png',
        width: 1,
        height: 1,
        sizeBytes: 1,
        sha256: 'h1',
        origin: 'upload',
        jobId: null,
        dataSubjects: ['Anna'],
        at: at(0),
      },
    };
    const gone: Event = { type: 'PictureErased', data: { assetId: 'A1', tenant, erasureId, at: at(9) } };
    const picture = rowsOf(assetsReadModel, inStream('asset', 'A1', [stored, gone]));
    expect(rowsOf(assetsReadModel, inStream('asset', 'A1', [withoutWords(stored), gone]))).toEqual(picture);
    expect(JSON.stringify(picture)).not.toContain('Anna');
  });

  it('clear one picture of a product that stays', () => {
    const live = rowsOf(
      productsReadModel,
      inStream('product', 'P', [registered, productErased(['A1'], false)]),
    );
    expect(live['P']).toMatchObject({
      status: 'active',
      title: facts.title,
      images: [{ assetId: 'A1', sha256: erasedText, erasedAt: at(9) }, facts.images[1]],
    });
  });
});
