import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { AssetEvent } from './asset.events.js';

export type StoredAsset = EventOfType<'AssetStored'>['data'];

/** A picture that was stored; its bytes never change. It can be retired, and is then of no use to new dispatches. */
export type KnownAsset = StoredAsset & { readonly retiredAt?: string };

export type Asset = KnownAsset | undefined;

export const initialAsset: Asset = undefined;

export function evolveAsset(asset: Asset, event: AssetEvent): KnownAsset {
  switch (event.type) {
    case 'AssetStored':
      return event.data;
    case 'CatalogEntryRetired':
      if (!asset) throw new Error('a picture that was never stored was retired');
      return { ...asset, retiredAt: event.data.at };
    default:
      return event satisfies never;
  }
}

/** Storing an asset that is there already changes nothing: the retry of a render stores under the same ids. */
export function storeAsset(command: StoredAsset, asset: Asset): Decision<AssetEvent> {
  return asset ? accept() : accept({ type: 'AssetStored', data: { ...command } });
}

export interface EntryNotFound {
  readonly code: 'ENTRY_NOT_FOUND';
}

/** Retiring again changes nothing. Whether a job made an entry of the picture is not on its own stream. */
export function retireEntry(
  command: EventOfType<'CatalogEntryRetired'>['data'],
  asset: Asset,
): Decision<AssetEvent, EntryNotFound> {
  if (asset?.tenant !== command.tenant) return reject({ code: 'ENTRY_NOT_FOUND' });
  if (asset.retiredAt !== undefined) return accept();
  return accept({ type: 'CatalogEntryRetired', data: { ...command } });
}
