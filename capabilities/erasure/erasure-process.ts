import { Inject, Injectable } from '@nestjs/common';
import type { CommandContext } from '#application/command-context.js';
import { inReaction, type PlacedEvent } from '#application/process-managers/delivered-event.js';
import type { ProcessManager } from '#application/process-managers/process-manager.js';
import { callsOf, rendersOf } from '#application/render/render-keys.js';
import { erasersOfCapabilities, signs } from '#capabilities/parts.js';
import { streamName, type Environment } from '#domain/streams.js';
import { WordErasure, type ErasedWords } from '#event-store/word-erasure.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Database } from '#read-store/database.js';
import { idempotentAnswers } from '#read-store/erases-words.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { isErasedAtVendor } from './erased-at-vendor.js';
import { erasureProcess } from './erasure-process.follows.js';
import type { ErasureStep } from './erasure.events.js';
import { completeErasure, recordStep, type RequestedErasure } from './erasure.js';
import { describedPictures, Extents, sizeOf, type Extent } from './extent.js';
import { KeptErasures } from './kept-erasures.js';
import { Erasures } from './manage-erasures.handler.js';
import { ReachedReads } from './reached-reads.js';
import { receiptOf, signReceipt, statementOf } from './receipt.js';
import { RefuseThings } from './refuse-things.js';
import { VendorErasureQueue } from './vendor-erasure-queue.js';

type Counts = Record<string, number>;

/**
 * Carries erasures out, in the order of their requests. Every step may be repeated, so a process that dies anywhere begins
 * the erasure again. Readers refuse the things before their bytes go, and a key is destroyed last: until then a repeated
 * step can still read what belongs to them.
 */
@Injectable()
export class ErasureProcess implements ProcessManager {
  constructor(
    private readonly erasures: Erasures,
    private readonly extents: Extents,
    private readonly refusals: RefuseThings,
    private readonly reached: ReachedReads,
    private readonly kept: KeptErasures,
    private readonly storage: ObjectStorage,
    private readonly database: Database,
    private readonly words: WordErasure,
    private readonly vendors: VendorErasureQueue,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @throws the errors of log, storage and database; the events are then handled again */
  async handle(environment: Environment, events: readonly PlacedEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type !== 'ErasureRequested') continue;
      const { requestId } = event.metadata;
      await inReaction(erasureProcess, environment, event, () =>
        this.carryOut(environment, event.data, requestId),
      );
    }
  }

  /** Goes on with an erasure that was requested. @throws what `handle` throws */
  async finish(environment: Environment, erasureId: string): Promise<void> {
    const erasure = await this.erasures.ofAnyTenant(environment, erasureId);
    if (erasure) await this.carryOut(environment, erasure.request, erasureId);
  }

  private async carryOut(
    environment: Environment,
    request: RequestedErasure,
    requestId: string,
  ): Promise<void> {
    const { erasureId, tenant, by } = request;
    const known = await this.erasures.find({ environment, tenant }, erasureId);
    if (known?.status === 'completed') return;
    // The person or key that ordered it is in the events on the things' streams.
    const context = (): CommandContext => ({
      environment,
      tenant,
      requestId,
      commandId: `erasure:${erasureId}`,
      actor: by,
      at: this.clock(),
    });
    const stepped = async (step: ErasureStep, counts: Counts) => {
      const { at } = context();
      const named = { ...context(), commandId: `erasure:${erasureId}:${step}` };
      await this.erasures.write(named, erasureId, (state) =>
        recordStep({ step, counts, at: at.toISOString() }, state),
      );
    };
    let extent = await this.reach(environment, request);
    await this.kept.keep(environment, request, extent, 'begun');
    let removed = 0;
    // A job may still have been ordered with a picture while it was not refused yet. Once its bytes are gone, no later job
    // can use it.
    for (let before = ''; before !== nameOf(extent); extent = await this.reach(environment, request)) {
      before = nameOf(extent);
      extent = await this.refuse(context(), request, extent);
      await stepped('refused', sizeOf(extent));
      removed += await this.removeBytes(environment, tenant, extent);
    }
    await stepped('bytes', { objects: removed });
    await stepped('rows', await this.clearRows(environment, tenant, extent));
    const words = await this.words.eraseWords(streamsOf(environment, extent));
    await stepped('keys', { events_without_words: words.erased });
    await this.kept.keep(environment, request, extent, 'completed');
    const atVendors = extent.vendorCalls.filter(isErasedAtVendor).length;
    if (atVendors > 0) {
      await this.vendors.enqueue([{ environment, tenant, erasureId }], this.database);
      await stepped('vendors', { vendor_requests: atVendors });
    }
    await this.complete(context(), request, extent, words);
  }

  /** All that the erasure reaches, after every job that the log had a moment ago. */
  private async reach(environment: Environment, request: RequestedErasure): Promise<Extent> {
    await this.reached.waitFor(environment);
    return this.extents.of({ environment, tenant: request.tenant }, request);
  }

  /** Ends what has not ended, and writes the events that refuse the things. */
  private async refuse(
    context: CommandContext,
    { erasureId, targets, derived }: RequestedErasure,
    found: Extent,
  ): Promise<Extent> {
    const unfinished = [...found.jobs.values()].filter(({ isUnfinished }) => isUnfinished);
    let extent = found;
    if (unfinished.length > 0) {
      await this.refusals.stop(
        context,
        unfinished.map(({ jobId }) => jobId),
      );
      // They may have stored pictures until they were stopped.
      extent = await this.extents.of(context, { targets, derived });
    }
    const { jobs } = extent;
    await this.refusals.refuse(context, erasureId, {
      pictures: [...extent.pictures.keys()],
      jobs: [...jobs.keys()],
      words: describedPictures(extent),
      products: [...extent.products],
      records: Object.fromEntries(extent.records),
      jobsShowing: Object.fromEntries(extent.jobsShowing),
      productsShowing: Object.fromEntries(extent.productsShowing),
      picturesOfJob: (id) => (jobs.get(id)?.pictures ?? []).map(({ assetId }) => assetId),
    });
    return extent;
  }

  private async removeBytes(environment: Environment, tenant: string, extent: Extent): Promise<number> {
    let removed = 0;
    for (const jobId of extent.jobs.keys())
      removed += await this.storage.erase(rendersOf(environment, tenant, jobId));
    // The answer of a vendor, which is kept for a day, is a copy of the picture.
    for (const jobId of extent.jobsShowing.keys())
      removed += await this.storage.erase(callsOf(environment, tenant, jobId));
    // What lies beside a picture, as the credentials that it arrived with, differs in the extension.
    for (const { storageKey } of extent.pictures.values())
      removed += await this.storage.erase(storageKey.replace(/[^.]+$/, ''));
    return removed;
  }

  private async clearRows(environment: Environment, tenant: string, extent: Extent): Promise<Counts> {
    const counts: Counts = {};
    const jobIds = [...extent.jobs.keys(), ...extent.words.keys()];
    for (const { place, erase } of [idempotentAnswers, ...(await erasersOfCapabilities())])
      counts[place] = await erase(this.database, { environment, tenant, jobIds });
    return counts;
  }

  private async complete(
    context: CommandContext,
    request: RequestedErasure,
    extent: Extent,
    words: ErasedWords,
  ): Promise<void> {
    const { environment, at } = context;
    // What an earlier try has counted: this one may have found nothing left to do.
    const steps = (await this.erasures.find(context, request.erasureId))?.steps ?? [];
    const counted: Counts = Object.assign({}, ...steps.map((done) => done.counts)) as Counts;
    const counts = { ...counted, ...sizeOf(extent) };
    const { backupDays } = this.configuration.erasure;
    const statement = statementOf(environment, request, extent, counts, {
      now: at,
      backupDays,
      words,
    });
    const signer = (await signs?.())?.signerOf(this.configuration);
    const { text, key, signature } = signReceipt(statement, signer);
    const completed = { receipt: text, key, signature, at: receiptOf({ text, key, signature }).completed_at };
    const named = { ...context, commandId: `erasure:${request.erasureId}:completed` };
    await this.erasures.write(named, request.erasureId, (state) => completeErasure(completed, state));
  }
}

/** Changes when the extent grows. */
function nameOf(extent: Extent): string {
  return JSON.stringify(sizeOf(extent));
}

/** The streams whose words are erased. A job or product that only shows an erased picture keeps its words. */
function streamsOf(environment: Environment, { pictures, jobs, words, products, records }: Extent): string[] {
  return [
    ...[...pictures.keys()].map((id) => streamName(environment, 'asset', id)),
    ...[...jobs.keys(), ...words.keys()].map((id) => streamName(environment, 'job', id)),
    ...[...products].map((id) => streamName(environment, 'product', id)),
    ...[...records].map(([id, category]) => streamName(environment, category, id)),
  ];
}
