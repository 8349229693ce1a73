import type { DataSource } from 'typeorm';
import { createDataSource } from '#read-store/data-source.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { readModelEntities, readModels } from '../read-models.js';

export interface ReadSide {
  readonly fixture: ReadStoreFixture;
  /** The data source of `live`, the environment in which all read models run. */
  readonly dataSource: DataSource;
  dispose(): Promise<void>;
}

/**
 * The whole read side on a database of its own: an event store, all read models kept up to date, a data source.
 * The read models show the history that `tell` has written.
 */
export async function startReadSide(
  tell?: (fixture: ReadStoreFixture) => Promise<unknown>,
): Promise<ReadSide> {
  const fixture = await ReadStoreFixture.create();
  await tell?.(fixture);
  fixture.start({ readModels });
  const dataSource = createDataSource({ url: fixture.url, schema: 'live', entities: readModelEntities });
  await dataSource.initialize();
  const head = await fixture.store.head();
  if (head !== undefined) await fixture.passed(head);
  return {
    fixture,
    dataSource,
    dispose: async () => {
      await dataSource.destroy();
      await fixture.dispose();
    },
  };
}
