import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { AssetEvent } from './asset.events.js';

export type StoredAsset = EventOfType<'AssetStored'>['data'];

/** A stored picture; its bytes never change. New dispatches cannot use it once it is retired. */
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

/** Storing an existing asset changes nothing: the retry of a render uses the same ids. */
export function storeAsset(command: StoredAsset, asset: Asset): Decision<AssetEvent> {
  return asset ? accept() : accept({ type: 'AssetStored', data: { ...command } });
}

/**
 * Retiring again changes nothing. The asset's own stream does not show whether a job made a catalogue entry of
 * it.
 */
export function retireEntry(
  command: EventOfType<'CatalogEntryRetired'>['data'],
  asset: Asset,
): Decision<AssetEvent, { readonly code: 'ENTRY_NOT_FOUND' }> {
  if (asset?.tenant !== command.tenant) return reject({ code: 'ENTRY_NOT_FOUND' });
  if (asset.retiredAt !== undefined) return accept();
  return accept({ type: 'CatalogEntryRetired', data: { ...command } });
}
