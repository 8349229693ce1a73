import { createHmac, timingSafeEqual } from 'node:crypto';
import { namedKey, type NamedKey } from '#event-store/named-key.js';
import type { Configuration } from '#platform/configuration.js';

export type RecordSecrets = Pick<Configuration, 'signingKey' | 'acceptedSigningKeys'>;

/** Proofs that this service wrote a record. They have the form `<name of the key>.<MAC>`. */
export class RecordMacs<Kept extends object = object> {
  private readonly current: NamedKey | undefined;
  private readonly keys: ReadonlyMap<string, NamedKey>;

  /** @param purpose a record of one purpose is none of another, wherever it is copied to */
  constructor(
    { signingKey, acceptedSigningKeys }: RecordSecrets,
    purpose: 'erasure' | 'closing' = 'erasure',
  ) {
    const keyOf = (secret: string): NamedKey => namedKey(secret, `atelier ${purpose} record`);
    this.current = signingKey === undefined ? undefined : keyOf(signingKey);
    const keys = [...acceptedSigningKeys.map(keyOf), ...(this.current ? [this.current] : [])];
    this.keys = new Map(keys.map((key) => [key.name, key]));
  }

  /** @throws Error without a signing key, with which no role starts */
  of(text: string): string {
    if (!this.current) throw new Error('there is no signing key');
    return `${this.current.name}.${macWith(this.current, text).toString('base64url')}`;
  }

  /** The record as it is kept: JSON with its proof. */
  signed(record: Kept): string {
    return `${JSON.stringify({ ...record, mac: this.of(JSON.stringify(record)) })}\n`;
  }

  /** Undefined: this service did not write it. Who can write to the storage could otherwise have anything erased. */
  verified(text: string): Kept | undefined {
    const { mac, ...kept } = parsed(text);
    const isOurs = typeof mac === 'string' && this.fits(JSON.stringify(kept), mac);
    // Its MAC shows that `signed` wrote it.
    return isOurs ? (kept as Kept) : undefined;
  }

  private fits(text: string, given: string): boolean {
    const [name = '', mac = ''] = given.split('.', 2);
    const key = this.keys.get(name);
    const bytes = Buffer.from(mac, 'base64url');
    const expected = key && macWith(key, text);
    return expected !== undefined && bytes.length === expected.length && timingSafeEqual(bytes, expected);
  }
}

function parsed(text: string): { readonly mac?: unknown } {
  try {
    return (JSON.parse(text) as { readonly mac?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}

const macWith = ({ key }: NamedKey, text: string): Buffer => createHmac('sha256', key).update(text).digest();
