import type { DataSource } from 'typeorm';
import { KeyRow } from './keys.read-model.js';

/** The API keys of one environment, as operators list them. Authentication reads the key's own stream. */
export class KeysReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first, revoked ones included. */
  list(tenant: string): Promise<KeyRow[]> {
    return this.dataSource
      .getRepository(KeyRow)
      .find({ where: { tenant }, order: { issuedAt: 'DESC', keyId: 'DESC' } });
  }
}
