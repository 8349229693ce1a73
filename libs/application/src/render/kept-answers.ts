import { Injectable } from '@nestjs/common';
import { ReadModels } from '../read-models.js';
import type { Environment } from '#domain/streams.js';
import { ObjectStorage } from '#storage/object-storage.js';

/** Where one picture of a vendor's answer is kept, until nobody can need it again. */
export function answerKey(
  environment: Environment,
  { tenant, jobId, call }: { readonly tenant: string; readonly jobId: string; readonly call: string },
  index: number,
): string {
  return `${environment}/${tenant}/renders/${jobId}/calls/${call}.${index}`;
}

const day = 24 * 60 * 60_000;

/** Any job has ended by then, and its late worker with it. */
const keptForMs = day;

/** How far back a process looks when it starts, for what read models that were behind have hidden. What is removed again does no harm. */
const firstLookMs = 8 * day;

const pageSize = 500;

/** Removes what vendors answered for jobs that have ended: it is only kept so that no worker asks, and pays, a second time. */
@Injectable()
export class KeptAnswers {
  private readonly removedUntil = new Map<Environment, Date>();

  constructor(
    private readonly reads: ReadModels,
    private readonly storage: ObjectStorage,
  ) {}

  /** @returns how many calls. @throws what database and storage throw; the next time then begins where this one did */
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
