import type { DataSource } from 'typeorm';
import { AssetRow } from './assets.read-model.js';

/** The stored pictures of one environment. Another tenant's is as unknown as one that never was. */
export class AssetsReader {
  constructor(private readonly dataSource: DataSource) {}

  async find(tenant: string, assetId: string): Promise<AssetRow | undefined> {
    return (await this.assets.findOneBy({ tenant, assetId })) ?? undefined;
  }

  /** By the `upload_key` that the upload was answered with. */
  async findByStorageKey(tenant: string, storageKey: string): Promise<AssetRow | undefined> {
    return (await this.assets.findOneBy({ tenant, storageKey })) ?? undefined;
  }

  private get assets() {
    return this.dataSource.getRepository(AssetRow);
  }
}
