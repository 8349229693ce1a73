import type { ErasableCall } from '#application/erasure/erasable-things.js';
import type { Environment } from '#domain/streams.js';
import type { ErasedWords } from '#event-store/word-erasure.js';
import type { StatementSigner } from '#operator-calls/signs-statements.js';
import type { ErasureTarget } from './erasure.events.js';
import type { RequestedErasure } from './erasure.js';
import { isErasedAtVendor } from './erased-at-vendor.js';
import type { Extent } from './extent.js';

/** Data that an erasure cannot reach, and until when it exists there; null: unknown. */
export interface Remains {
  readonly where: string;
  readonly until: string | null;
}

/** What a receipt says. Its JSON text is signed, so the order of its fields is part of the format. */
export interface ReceiptStatement {
  readonly format: 'atelier erasure receipt 1';
  readonly erasure_id: string;
  readonly environment: Environment;
  readonly tenant: string;
  readonly requested_at: string;
  readonly completed_at: string;
  /** Who ordered it. */
  readonly by: string;
  readonly targets: readonly { readonly kind: string; readonly id: string }[];
  readonly derived: boolean;
  /** The log was restored from before this erasure, and it was done again. */
  readonly again: boolean;
  readonly erased: {
    readonly pictures: readonly string[];
    readonly jobs: readonly string[];
    readonly products: readonly string[];
    /** Records about a person, such as model releases. */
    readonly records: readonly string[];
  };
  /** By place, what was removed there. */
  readonly counts: Readonly<Record<string, number>>;
  readonly remains: readonly Remains[];
}

export interface Receipt extends ReceiptStatement {
  /** Null: the service has no key to sign with. */
  readonly key: string | null;
  readonly signature: string | null;
}

const dayMs = 24 * 60 * 60_000;

/** How long browsers keep a picture: as long as its URL is valid. */
const cachedMs = 15 * 60_000;

export function statementOf(
  environment: Environment,
  { erasureId, tenant, targets, derived, by, again, at }: RequestedErasure,
  { pictures, jobs, words, products, records, vendorCalls }: Extent,
  counts: Readonly<Record<string, number>>,
  {
    now,
    backupDays,
    words: { underTenantKey, plain },
  }: { readonly now: Date; readonly backupDays: number; readonly words: ErasedWords },
): ReceiptStatement {
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString();
  return {
    format: 'atelier erasure receipt 1',
    erasure_id: erasureId,
    environment,
    tenant,
    requested_at: at,
    completed_at: now.toISOString(),
    by,
    targets: targets.map(presentTarget),
    derived,
    again,
    erased: {
      pictures: [...pictures.keys()],
      jobs: [...jobs.keys(), ...words.keys()],
      products: [...products],
      records: [...records.keys()],
    },
    counts,
    remains: [
      { where: 'browsers that have shown a picture', until: later(cachedMs) },
      { where: 'backups', until: later(backupDays * dayMs) },
      ...(underTenantKey + plain > 0
        ? [{ where: `the event log: ${wordsLeft(underTenantKey, plain)}`, until: null }]
        : []),
      ...[...Map.groupBy(vendorCalls, ({ vendor }) => vendor)].map(([vendor, calls]) => ({
        where: atVendor(vendor, calls),
        until: null,
      })),
      {
        where: 'answers, webhooks, downloads and copies in your own bucket that have left the service',
        until: null,
      },
    ],
  };
}

/** A record is named by what it is: `release`. */
export function presentTarget(target: ErasureTarget): { kind: string; id: string } {
  return { kind: target.kind === 'record' ? target.category : target.kind, id: target.id };
}

function atVendor(vendor: string, calls: readonly ErasableCall[]): string {
  const got = `the vendor of ${vendor}, which got ${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`;
  const asked = calls.filter(isErasedAtVendor).length;
  return asked === 0 ? `${got}: see its terms` : `${got}, and is asked to delete ${asked}`;
}

function wordsLeft(underTenantKey: number, plain: number): string {
  const left = [
    ...(underTenantKey > 0 ? [`${underTenantKey} events under the key of the tenant`] : []),
    ...(plain > 0 ? [`${plain} events from before the service encrypted words`] : []),
  ];
  return `words of ${left.join(', and of ')}`;
}

export interface SignedReceipt {
  /** The JSON text of the statement. */
  readonly text: string;
  readonly key: string | null;
  readonly signature: string | null;
}

export function signReceipt(statement: ReceiptStatement, signer: StatementSigner | undefined): SignedReceipt {
  const text = JSON.stringify(statement);
  return {
    text,
    key: signer?.publicKey ?? null,
    signature: signer?.sign(signedText(text)) ?? null,
  };
}

/** Names what it is, so that no signature of this key under another text passes for a receipt. */
export function signedText(text: string): string {
  return `atelier erasure receipt\n${text}`;
}

/** The receipt in the form for keeping: a statement with its signature. */
export function receiptOf({ text, key, signature }: SignedReceipt): Receipt {
  // Written by `signReceipt`.
  return { ...(JSON.parse(text) as ReceiptStatement), key, signature };
}
