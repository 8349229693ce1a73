import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { KeyEvent } from './key.events.js';

export type IssuedKey = EventOfType<'ApiKeyIssued'>['data'];

export type Key =
  | { readonly status: 'unissued' }
  | {
      readonly status: 'active' | 'revoked';
      readonly key: IssuedKey;
      /** When a key that was rotated stops working. ISO 8601. */
      readonly retiresAt?: string;
    };

export const initialKey: Key = { status: 'unissued' };

export function evolve(state: Key, event: KeyEvent): Key {
  switch (event.type) {
    case 'ApiKeyIssued':
      return { status: 'active', key: event.data };
    case 'ApiKeyRetired':
      if (state.status === 'unissued') throw new Error('ApiKeyRetired on a key that was never issued');
      return { ...state, retiresAt: event.data.retiresAt };
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

/** Revoking a revoked key changes nothing. */
export function revokeKey(
  command: { readonly reason: string; readonly at: string },
  key: Key,
): Decision<KeyEvent, { readonly code: 'KEY_NOT_FOUND' }> {
  if (key.status === 'unissued') return reject({ code: 'KEY_NOT_FOUND' });
  return key.status === 'revoked' ? accept() : accept({ type: 'ApiKeyRevoked', data: { ...command } });
}
