import { Inject, Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { Configuration } from '#platform/configuration.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { RecordMacs, type RecordSecrets } from '../record-macs.js';
import type { ApprovedClosing, ProposedClosing } from './closing.js';

/** A closing whose notice period is over, as it is known outside the database. */
export interface KeptClosing {
  readonly format: 'atelier closing 1';
  readonly environment: Environment;
  readonly proposed: ProposedClosing;
  readonly approved: ApprovedClosing;
}

const folderOf = (environment: Environment) => `closings/${environment}/`;

/**
 * Records of closed tenants beside the pictures, where a restore of the database does not take them back. Each is written
 * only if it is absent, before anything of the tenant is erased.
 */
@Injectable()
export class KeptClosings {
  private readonly macs: RecordMacs<KeptClosing>;

  constructor(
    private readonly storage: ObjectStorage,
    @Inject(Configuration) configuration: RecordSecrets,
  ) {
    this.macs = new RecordMacs(configuration, 'closing');
  }

  async keep(environment: Environment, { proposed, approved }: Omit<KeptClosing, 'format' | 'environment'>) {
    const kept: KeptClosing = { format: 'atelier closing 1', environment, proposed, approved };
    const key = `${folderOf(environment)}${proposed.tenant}.json`;
    await this.storage.create(key, Buffer.from(this.macs.signed(kept)), 'application/json');
  }

  /** All of an environment, by key. Undefined: this service did not write the record. @throws what the storage throws */
  async *all(environment: Environment): AsyncGenerator<readonly [string, KeptClosing | undefined]> {
    for (const key of await this.storage.list(folderOf(environment)))
      yield [key, this.read(environment, key, (await this.storage.get(key)).toString())];
  }

  private read(environment: Environment, key: string, text: string): KeptClosing | undefined {
    const kept = this.macs.verified(text);
    if (kept?.environment !== environment || key !== `${folderOf(environment)}${kept.proposed.tenant}.json`)
      return undefined;
    if (kept.format !== 'atelier closing 1')
      throw new Error(`${key} in object storage is no record of a closing of this release`);
    return kept;
  }
}
