import { hash, randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';
import { parse, v5 } from 'uuid';

/**
 * Random bytes are drawn in blocks, because a ULID needs one for each character, and each draw is a system
 * call.
 */
const randomBytes = new Uint8Array(4096);
let drawn = randomBytes.length;

function random(): number {
  if (drawn === randomBytes.length) {
    randomFillSync(randomBytes);
    drawn = 0;
  }
  // Filled again above before its end is reached.
  return (randomBytes[drawn++] as number) / 256;
}

const nextUlid = monotonicFactory(random);

let source: () => string = nextUlid;

/** A fresh ULID: 26 characters that sort by time. Within one process the ids strictly increase. */
export function newId(): string {
  return source();
}

/**
 * From now on {@link newId} returns the ids of `other` in this process. Undefined: fresh ULIDs again. A
 * simulation uses it to repeat its runs exactly.
 */
export function drawIdsFrom(other: (() => string) | undefined): void {
  source = other ?? nextUlid;
}

export const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isId(value: string): boolean {
  return ulidPattern.test(value);
}

/** When a ULID was made, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return decodeTime(id);
}

const timeLength = 10;
const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * A ULID that is derived and not random: the same name and time always give the same id. So two processes that
 * make the same thing use the same stream. It sorts by its time among random ids.
 * @param madeAt milliseconds since 1970, the same on every try
 */
export function derivedId(name: string, madeAt: number): string {
  return encodeTime(madeAt, timeLength) + timelessId(name).slice(timeLength);
}

/**
 * Like {@link derivedId}, for a stream that is found by its name alone. The id's time means nothing. So such an
 * id names a stream, and callers never see it.
 */
export function timelessId(name: string): string {
  const digest = hash('sha256', name);
  // A ULID has 128 bits in 26 characters of 5 bits, so its first character holds only 3.
  let rest = BigInt(`0x${digest.slice(0, 32)}`);
  let id = '';
  for (let place = 0; place < 26; place++) {
    id = (crockford[Number(rest & 31n)] ?? '') + id;
    rest >>= 5n;
  }
  return id;
}

/** A fixed UUID namespace of this service (RFC 9562, version 5). */
const namespace = parse('6a3c1f0e-52b7-5d0f-9d56-0d5b6a1f7c11');

/**
 * The id of the event with this number in the events of a command. The same command gives the same ids on every
 * try, so the store recognises a retry of an append.
 */
export function eventId(commandId: string, index: number): string {
  // Passed as bytes, because `uuid` takes twice as long to make them.
  return v5(Buffer.from(`${commandId}#${index}`), namespace);
}
