import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EraseJob, ErasePicture, EraseProduct, StopJob } from '#application/erasure/erase.js';
import type { CommandContext } from '#application/command-context.js';
import { recordsOfPersons } from '#capabilities/parts.js';
import type { StreamCategory } from '#domain/streams.js';

/** The things of an erasure, by their ids. */
export interface RefusedThings {
  readonly pictures: readonly string[];
  readonly jobs: readonly string[];
  /** By job of which only the words are erased: the pictures that stay. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  readonly products: readonly string[];
  /** By id: the category of the record's stream. */
  readonly records: Readonly<Record<string, StreamCategory>>;
  readonly jobsShowing: Readonly<Record<string, readonly string[]>>;
  readonly productsShowing: Readonly<Record<string, readonly string[]>>;
  /** By erased job: its pictures. */
  readonly picturesOfJob: (jobId: string) => readonly string[];
}

const reason = 'Cancelled because it is erased. Your credits were refunded.';

/**
 * Writes the events of an erasure on the streams of the things. From then on every reader refuses them. It may be repeated,
 * and a thing that the log does not have is left out: a restored log may lack it.
 */
@Injectable()
export class RefuseThings {
  constructor(private readonly commands: CommandBus) {}

  /** Ends the jobs that have not ended. Their charges are refunded as for every job that is cancelled. */
  async stop(context: CommandContext, jobIds: readonly string[]): Promise<void> {
    for (const jobId of jobIds)
      await this.commands.execute(new StopJob(named(context, `stop:${jobId}`), jobId, { reason }));
  }

  async refuse(context: CommandContext, erasureId: string, things: RefusedThings): Promise<void> {
    for (const id of things.pictures)
      await this.commands.execute(new ErasePicture(named(context, `picture:${id}`), id, { erasureId }));
    const job = (
      id: string,
      assetIds: readonly string[],
      words: boolean,
      describedAssetIds?: readonly string[],
    ) =>
      this.commands.execute(
        new EraseJob(named(context, `job:${id}:${words}`), id, {
          erasureId,
          assetIds,
          words,
          describedAssetIds,
        }),
      );
    for (const id of things.jobs) await job(id, things.picturesOfJob(id), true);
    for (const [id, assetIds] of Object.entries(things.jobsShowing)) await job(id, assetIds, false);
    for (const [id, described] of Object.entries(things.words ?? {})) await job(id, [], true, described);
    const kept = await recordsOfPersons();
    for (const [id, category] of Object.entries(things.records)) {
      // The capability may have been left out since: its records then stay.
      const command = kept.get(category)?.erase(named(context, `record:${id}`), id, erasureId);
      if (command) await this.commands.execute(command);
    }
    const product = (id: string, assetIds: readonly string[], words: boolean) =>
      this.commands.execute(
        new EraseProduct(named(context, `product:${id}:${words}`), id, { erasureId, assetIds, words }),
      );
    for (const id of things.products) await product(id, things.pictures, true);
    for (const [id, assetIds] of Object.entries(things.productsShowing)) await product(id, assetIds, false);
  }
}

/**
 * The ids of events derive from the command's name. The time is part of it, because a later round of the same erasure may
 * have more to say on the same stream.
 */
function named(context: CommandContext, what: string): CommandContext {
  return { ...context, commandId: `${context.commandId}:${what}:${context.at.toISOString()}` };
}
