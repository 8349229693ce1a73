import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { retireEntry, type Asset } from '#domain/asset/asset.js';
import { resourceOf, type CatalogResource } from '#domain/catalog/catalog.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { handle, type Handled } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { assetAggregate, StoredPictures } from '../picture/stored-pictures.js';

type RetiredEntry = Handled<Asset, { readonly code: 'ENTRY_NOT_FOUND' }>;

/**
 * Takes an entry out of a tenant's catalogue. New dispatches cannot use it: at once in this process, and in
 * others as soon as they hear of it. Jobs that were queued with it still render.
 */
export class RetireCatalogEntry extends Command<RetiredEntry> {
  constructor(
    readonly context: CommandContext,
    readonly entryId: string,
    readonly reason: string,
    /** Where the entry must be listed. Default: wherever it is. */
    readonly resource?: CatalogResource,
  ) {
    super();
  }
}

@CommandHandler(RetireCatalogEntry)
export class RetireCatalogEntryHandler implements ICommandHandler<RetireCatalogEntry> {
  constructor(
    private readonly store: EventStore,
    private readonly pictures: StoredPictures,
  ) {}

  async execute({ context, entryId: assetId, reason, resource }: RetireCatalogEntry): Promise<RetiredEntry> {
    const { environment, tenant, at } = context;
    const asset = await this.pictures.asset(context, assetId);
    const made = asset && (await this.pictures.artifact(context, asset));
    const listedAs = made?.role === 'final' ? resourceOf(made.kind) : undefined;
    if (!listedAs || listedAs !== (resource ?? listedAs))
      return { kind: 'rejected', rejection: { code: 'ENTRY_NOT_FOUND' }, state: asset };
    const stream = streamName(environment, 'asset', assetId);
    const retirement = { assetId, tenant, reason, at: at.toISOString() };
    const decide = (state: Asset) => retireEntry(retirement, state);
    const retired = await handle(this.store, stream, assetAggregate, decide, context);
    this.pictures.forget(context, assetId);
    return retired;
  }
}
