import { Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { isId, timeOfId } from '#platform/ids.js';
import { ObjectStorage } from '#storage/object-storage.js';
import type { Owner } from './stored-pictures.js';

const folderOf = (environment: Environment) => `incoming/${environment}/`;

/** Where a caller's form puts the file that will become this asset. */
export const incomingKey = ({ environment, tenant }: Owner, assetId: string) =>
  `${folderOf(environment)}${tenant}/${assetId}`;

/** Longer than a form is valid and an upload takes. */
const waitsForMs = 60 * 60_000;

/** A listing costs money where the storage is another company's. */
const lookEveryMs = 10 * 60_000;

/**
 * Removes files that callers have sent by a form and never completed. An id has the time when its form was given, so the
 * age of a file is in its key.
 */
@Injectable()
export class IncomingPictures {
  private readonly lookedAt = new Map<Environment, number>();

  constructor(private readonly storage: ObjectStorage) {}

  /** @returns how many files were too old. @throws what the storage throws; the next call then looks again */
  async forget(environment: Environment, now: Date): Promise<number> {
    const time = now.getTime();
    if (time - (this.lookedAt.get(environment) ?? -Infinity) < lookEveryMs) return 0;
    const keys = await this.storage.list(folderOf(environment));
    const left = keys.filter((key) => {
      const id = key.split('/').at(-1) ?? '';
      return isId(id) && timeOfId(id) < time - waitsForMs;
    });
    for (const key of left) await this.storage.erase(key);
    this.lookedAt.set(environment, time);
    return left.length;
  }
}
