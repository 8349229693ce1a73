import { accept, type Decision } from '../decision.js';
import type { AssetEvent } from './asset.events.js';

export type StoredAsset = AssetEvent['data'];

/** A picture that was stored; it never changes afterwards. */
export type Asset = StoredAsset | undefined;

export const initialAsset: Asset = undefined;

export function evolveAsset(_asset: Asset, event: AssetEvent): StoredAsset {
  return event.data;
}

/** Storing an asset that is there already changes nothing: the retry of a render stores under the same ids. */
export function storeAsset(command: StoredAsset, asset: Asset): Decision<AssetEvent> {
  return asset ? accept() : accept({ type: 'AssetStored', data: { ...command } });
}
