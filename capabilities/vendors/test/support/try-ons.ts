import { openEngines } from '#adapters/engines.module.js';
import type { ImageEngines } from '#application/render/engine-run.js';
import type { ModelList } from '#platform/image-models.js';
import { createLogger } from '#platform/logger.js';
import { countRequestIn } from '#read-store/rate-limit-store.js';
import type { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import type { Workshop } from '../../../../test/worker/support/workshop.js';
import { photo } from './vendor-house.js';

/** The engines of these models, as a worker opens them. */
export function enginesOf(
  list: Pick<ModelList, 'models'> & Partial<ModelList>,
  { places, database }: PgBossRenderQueue,
  more: { readonly restMs?: number } = {},
): ImageEngines {
  const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');
  return openEngines(
    { currency: 'USD', workflow_models: {}, tenant_models: {}, ...list },
    {
      places,
      logger,
      observer: undefined,
      countCall: (model, perMinute) => countRequestIn(database, `image-model ${model}`, perMinute),
      ...more,
    },
  );
}

/** The body of a try-on with two uploads of the tenant. */
export async function tryOnIn(workshop: Workshop, tenant: string): Promise<Record<string, unknown>> {
  const upload = async (colour: string) =>
    (await workshop.upload(tenant, { bytes: await photo(colour), width: 200, height: 300 })).assetId;
  return {
    user_image: await upload('#345'),
    items: [{ trial_image: await upload('#c63'), trial_item_category: 'top' }],
  };
}
