import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import { v5 } from 'uuid';

/** Random bytes are drawn by the page: ULIDs take them one character at a time, and each draw is a system call. */
const randomBytes = new Uint8Array(4096);
let drawn = randomBytes.length;

function random(): number {
  if (drawn === randomBytes.length) {
    randomFillSync(randomBytes);
    drawn = 0;
  }
  return (randomBytes[drawn++] as number) / 256;
}

const nextUlid = monotonicFactory(random);

/** A fresh ULID: 26 characters, sorts by time; within one process strictly increasing. */
export function newId(): string {
  return nextUlid();
}

const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isId(value: string): boolean {
  return ulidPattern.test(value);
}

/** A fixed UUID namespace of this service (RFC 9562, version 5). */
const namespace = '6a3c1f0e-52b7-5d0f-9d56-0d5b6a1f7c11';

/**
 * The id of the event with this number among those that a command emits. The same command gives the same ids
 * on every try: that is what makes a retry of an append recognisable.
 */
export function eventId(commandId: string, index: number): string {
  return v5(`${commandId}#${index}`, namespace);
}
