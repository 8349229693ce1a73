import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RecordedEvent } from '../event-store.js';
import { namedKey, type NamedKey } from '../named-key.js';

/** The secrets from which MACs are made. Writers have them; the database does not. */
export interface MacSecrets {
  /** `ATELIER_SIGNING_KEY`: every event is written with it. */
  readonly signingKey: string;
  /**
   * Further keys whose MACs are accepted: keys from before a rotation, or the next key during its rollout.
   */
  readonly accepted?: readonly string[];
}

/**
 * The parts of an event as the store sends them. Data and metadata are JSON text; the metadata has no MAC
 * yet.
 */
export interface WrittenEvent {
  readonly stream: string;
  /** Undefined: the append names no revision, so the MAC cannot cover it. */
  readonly revision: bigint | undefined;
  /** In lower case. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/**
 * - `current`: the MAC was made with the signing key. `accepted`: it was made with one of the other keys.
 * - `none`: the event has no MAC. `unknown-key`: this process does not have the key of the MAC.
 * - `wrong`: the MAC names a key of this process, but does not fit this event at this place of this stream.
 */
export type MacVerdict = 'current' | 'accepted' | 'none' | 'unknown-key' | 'wrong';

/**
 * 128 bits: half of SHA-256's, as RFC 2104 allows. A forger has to guess, and each guess is an event on the
 * log.
 */
const macBytes = 16;

/**
 * MACs of events. A MAC is an HMAC-SHA-256 over stream, revision, id, type, data and metadata without the MAC
 * itself. The text is the same that seals hash (docs/adr/0020-seals.md). The metadata holds the MAC as
 * `{key's name}.{mac}`, or as `{key's name}~{mac}` if it does not cover the revision.
 */
export class EventMacs {
  private readonly current: NamedKey;
  private readonly keys: ReadonlyMap<string, NamedKey>;

  constructor({ signingKey, accepted = [] }: MacSecrets) {
    this.current = keyOf(signingKey);
    this.keys = new Map([...accepted.map(keyOf), this.current].map((key) => [key.name, key]));
  }

  /**
   * The metadata's text with the MAC in it. Metadata that is not an object stays as it is; this service writes
   * none.
   */
  withMac(event: WrittenEvent): string {
    const { metadata, revision } = event;
    if (!metadata.startsWith('{')) return metadata;
    const mark = revision === undefined ? '~' : '.';
    const mac = `${this.current.name}${mark}${macWith(this.current, event).toString('base64url')}`;
    const member = `"mac":"${mac}"}`;
    return metadata === '{}' ? `{${member}` : `${metadata.slice(0, -1)},${member}`;
  }

  verdictOn({ stream, revision, id, type, data, metadata }: RecordedEvent): MacVerdict {
    // Another writer to the log may have put any value there.
    const { mac: given, ...covered } = (metadata ?? {}) as { readonly mac?: unknown };
    if (given === undefined) return 'none';
    const [, name = '', mark, mac = ''] =
      /^([\w-]{6})([.~])([\w-]{22})$/.exec(typeof given === 'string' ? given : '') ?? [];
    const key = this.keys.get(name);
    if (!key) return mark === undefined ? 'wrong' : 'unknown-key';
    const expected = macWith(key, {
      stream,
      revision: mark === '~' ? undefined : revision,
      id: id.toLowerCase(),
      type,
      data: JSON.stringify(data),
      metadata: JSON.stringify(covered),
    });
    if (!timingSafeEqual(Buffer.from(mac, 'base64url'), expected)) return 'wrong';
    return key === this.current ? 'current' : 'accepted';
  }
}

const keyOf = (secret: string): NamedKey => namedKey(secret, 'atelier event mac');

function macWith({ key }: NamedKey, { stream, revision, id, type, data, metadata }: WrittenEvent): Buffer {
  const place = JSON.stringify([stream, revision === undefined ? null : Number(revision), id, type]);
  return createHmac('sha256', key)
    .update(`${place.slice(0, -1)},${data},${metadata}]`)
    .digest()
    .subarray(0, macBytes);
}
