import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { KeyEvent } from './key.events.js';

export type IssuedKey = EventOfType<'ApiKeyIssued'>['data'];

/**
 * A key is `unissued` until ApiKeyIssued, then `active`, until ApiKeyRevoked makes it `revoked` for good.
 * ApiKeyRetired leaves it active and sets its end. No event marks that moment; the API's guard checks the
 * clock.
 */
export type Key =
  | { readonly status: 'unissued' }
  | {
      readonly status: 'active' | 'revoked';
      readonly key: IssuedKey;
      /** When a rotated key stops working. ISO 8601. */
      readonly retiresAt?: string;
      readonly successorKeyId?: string;
    };

export type RetireRejection =
  | { readonly code: 'KEY_NOT_FOUND' }
  | { readonly code: 'KEY_REVOKED' }
  | { readonly code: 'KEY_ROTATED'; readonly successorKeyId: string };

export const initialKey: Key = { status: 'unissued' };

export function evolveKey(state: Key, event: KeyEvent): Key {
  switch (event.type) {
    case 'ApiKeyIssued':
      return { status: 'active', key: event.data };
    case 'ApiKeyRetired': {
      if (state.status === 'unissued') throw new Error('ApiKeyRetired on a key that was never issued');
      const { retiresAt, successorKeyId } = event.data;
      return { ...state, retiresAt, successorKeyId };
    }
    case 'ApiKeyRevoked':
      if (state.status === 'unissued') throw new Error('ApiKeyRevoked on a key that was never issued');
      return { ...state, status: 'revoked' };
    default:
      return event satisfies never;
  }
}

export function issueKey(command: IssuedKey, key: Key): Decision<KeyEvent, { readonly code: 'KEY_EXISTS' }> {
  if (key.status !== 'unissued') return reject({ code: 'KEY_EXISTS' });
  return accept({ type: 'ApiKeyIssued', data: { ...command } });
}

/** A key is rotated once; the next rotation is its successor's. Repeating the same rotation changes nothing. */
export function retireKey(
  command: { readonly retiresAt: string; readonly successorKeyId: string; readonly at: string },
  key: Key,
): Decision<KeyEvent, RetireRejection> {
  if (key.status === 'unissued') return reject({ code: 'KEY_NOT_FOUND' });
  if (key.status === 'revoked') return reject({ code: 'KEY_REVOKED' });
  if (key.successorKeyId === command.successorKeyId) return accept();
  if (key.successorKeyId !== undefined) {
    return reject({ code: 'KEY_ROTATED', successorKeyId: key.successorKeyId });
  }
  return accept({ type: 'ApiKeyRetired', data: { ...command } });
}

export function revokeKey(
  command: { readonly reason: string; readonly at: string },
  key: Key,
): Decision<KeyEvent, { readonly code: 'KEY_NOT_FOUND' }> {
  if (key.status === 'unissued') return reject({ code: 'KEY_NOT_FOUND' });
  return key.status === 'revoked' ? accept() : accept({ type: 'ApiKeyRevoked', data: { ...command } });
}
