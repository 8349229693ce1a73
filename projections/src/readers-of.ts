import type { DataSource } from 'typeorm';
import type { EnvironmentReads } from '#application/read-models.js';
import { LedgerReader } from './ledger/ledger.reader.js';
import {
  AssetsReader,
  CallsReader,
  CatalogReader,
  DataSubjectsReader,
  JobsReader,
  KeysReader,
  PresetsReader,
  ProductsReader,
  RendersReader,
  TimelineReader,
  UsageReader,
} from './readers.js';

/** The reads of an environment. @param source its schema */
export function readersOf(source: DataSource): EnvironmentReads {
  const ledger = new LedgerReader(source);
  return {
    assets: new AssetsReader(source),
    jobs: new JobsReader(source),
    timeline: new TimelineReader(source),
    renders: new RendersReader(source),
    catalog: new CatalogReader(source),
    presets: new PresetsReader(source),
    products: new ProductsReader(source),
    dataSubjects: new DataSubjectsReader(source),
    ledger,
    usage: new UsageReader(source),
    openCharges: ledger,
    calls: new CallsReader(source),
    keys: new KeysReader(source),
  };
}
