import { accept, reject, type Decision } from '../decision.js';
import { erasedText } from '../erased.js';
import type { EventOfType } from '../events.js';
import type { ArrivedCredentials, AssetEvent } from './asset.events.js';

export type StoredAsset = EventOfType<'AssetStored'>['data'];

/**
 * A stored picture; its bytes never change. New dispatches cannot use it once it is retired. Once it is erased, it is
 * not shown either, and its bytes are removed.
 */
export type KnownAsset = StoredAsset & { readonly retiredAt?: string; readonly erasedAt?: string };

export type Asset = KnownAsset | undefined;

export const initialAsset: Asset = undefined;

export function evolveAsset(asset: Asset, event: AssetEvent): KnownAsset {
  switch (event.type) {
    case 'AssetStored':
      return event.data;
    case 'CatalogEntryRetired':
      if (!asset) throw new Error('a picture that was never stored was retired');
      return { ...asset, retiredAt: event.data.at };
    case 'PictureErased':
      if (!asset) throw new Error('a picture that was never stored was erased');
      return {
        ...asset,
        ...(asset.dataSubjects && { dataSubjects: [] }),
        ...(asset.credentials && { credentials: withoutHash(asset.credentials) }),
        ...(asset.likeness !== undefined && { likeness: erasedText }),
        sha256: erasedText,
        erasedAt: event.data.at,
      };
    default:
      return event satisfies never;
  }
}

function withoutHash({ problems, kept }: ArrivedCredentials): ArrivedCredentials {
  return { problems, kept: kept && { ...kept, sha256: erasedText } };
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
  if (asset.retiredAt !== undefined || asset.erasedAt !== undefined) return accept();
  return accept({ type: 'CatalogEntryRetired', data: { ...command } });
}

/** Erasing again changes nothing. */
export function erasePicture(
  command: EventOfType<'PictureErased'>['data'],
  asset: Asset,
): Decision<AssetEvent, { readonly code: 'PICTURE_NOT_FOUND' }> {
  if (asset?.tenant !== command.tenant) return reject({ code: 'PICTURE_NOT_FOUND' });
  return asset.erasedAt === undefined ? accept({ type: 'PictureErased', data: { ...command } }) : accept();
}
