import { Injectable } from '@nestjs/common';
import { ReadModels } from '../read-models.js';
import type { Environment } from '#domain/streams.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { callsOf } from './render-keys.js';

/** The storage key of one picture of a vendor's answer. The picture is removed once no worker can need it. */
export function answerKey(
  environment: Environment,
  { tenant, jobId, call }: { readonly tenant: string; readonly jobId: string; readonly call: string },
  index: number,
): string {
  return `${callsOf(environment, tenant, jobId)}${call}.${index}`;
}

const day = 24 * 60 * 60_000;

/** By then the job has ended, and no late worker of it is left. */
const keptForMs = day;

/**
 * How far back the first look of a process reaches, because lagging read models may have hidden calls. Removing
 * a picture twice does no harm.
 */
const firstLookMs = 8 * day;

const pageSize = 500;

/**
 * Removes vendors' answers for jobs that have ended. They are kept only so that no worker makes, and pays for,
 * the same call twice.
 */
@Injectable()
export class KeptAnswers {
  private readonly removedUntil = new Map<Environment, Date>();

  constructor(
    private readonly reads: ReadModels,
    private readonly storage: ObjectStorage,
  ) {}

  /**
   * @returns the number of calls whose answers were removed
   * @throws the errors of database and storage; the next call then starts from the same time again
   */
  async forget(environment: Environment, now: Date): Promise<number> {
    const from = this.removedUntil.get(environment) ?? new Date(now.getTime() - firstLookMs);
    const until = new Date(now.getTime() - keptForMs);
    const calls = await this.reads.of(environment).calls.answeredBetween(from, until, pageSize);
    for (const call of calls)
      for (let index = 0; index < call.kept; index++)
        await this.storage.remove(answerKey(environment, call, index));
    const last = calls.length === pageSize ? calls.at(-1)?.answeredAt : undefined;
    this.removedUntil.set(environment, last ?? until);
    return calls.length;
  }
}
