import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import type { AsJson } from '#operator-calls/call.js';
import type {
  AuditedLog,
  CheckFindings,
  HistoryAudit,
  HistoryReader,
} from '#operator-calls/history-audit.js';
import { parseKeptSeals } from './kept-seals.js';
import type { Acceptance, PlacedHead } from './kept-heads.js';
import { readHead } from './heads.js';
import { readChainEnd } from './seal.js';
import type { TrustedSeals } from './seal-chain.js';
import { SealedHistory, type SealsReport } from './sealed-history.js';

/** The seals' part of an audit's report; the names are stable. */
export interface SealsInReport {
  readonly seals: ReturnType<typeof describeSeals> | null;
  readonly kept_head: ReturnType<typeof describeHead>;
}

/** Compares the history with its seals while the audit reads it. */
export class SealsReader implements HistoryReader<SealsInReport> {
  readonly checks = ['seals', 'seal-chain'];
  private history: SealedHistory | undefined;
  private found: SealsReport | undefined;

  constructor(
    private readonly trusted: TrustedSeals,
    private readonly head?: PlacedHead,
  ) {}

  async open(store: Pick<EventStore, 'readStream'>, findings: CheckFindings): Promise<boolean> {
    const history = await SealedHistory.open(store, findings, this.trusted);
    if (history.isExpected) this.history = history;
    return history.isExpected;
  }

  async apply(events: readonly RecordedEvent[]): Promise<void> {
    await this.history?.apply(events);
  }

  async end(now: number | undefined): Promise<void> {
    this.found = await this.history?.end(now);
  }

  get proven(): number {
    return this.found?.sealedEvents ?? 0;
  }

  report(): SealsInReport {
    return { seals: this.found ? describeSeals(this.found) : null, kept_head: describeHead(this.head) };
  }
}

function describeSeals({ last, sealedEvents, unsealedEvents, keys, unnamedKeys, sources }: SealsReport) {
  return {
    chain: last?.chain ?? null,
    last: last?.number ?? null,
    sealed_at: last?.sealedAt ?? null,
    sealed_events: sealedEvents,
    unsealed_events: unsealedEvents,
    keys,
    unnamed_keys_at: unnamedKeys,
    copied_from: [...sources].map(([digest, { chain, number, sealedAt }]) => ({
      chain,
      seal: number,
      sealed_at: sealedAt,
      digest,
    })),
  };
}

function describeHead(
  head: PlacedHead | undefined,
): { readonly seal: number | null; readonly accepted: Omit<Acceptance, 'signature'> | null } | null {
  if (!head) return null;
  const { seal, accepted } = head;
  if (!accepted) return { seal: seal?.number ?? null, accepted: null };
  const { signature: _, ...told } = accepted;
  return { seal: seal?.number ?? null, accepted: told };
}

export const sealsAudit: HistoryAudit<SealsInReport> = {
  async begin({ store, configuration, isBackup, against }: AuditedLog) {
    const kept = against === undefined ? [] : parseKeptSeals(against, 'the kept seals');
    const key = configuration?.sealing.key;
    // A backup may lack the newest head, because it is older.
    const head =
      configuration && !isBackup ? await readHead(configuration, await readChainEnd(store)) : undefined;
    if (head?.seal) kept.push(head.seal);
    return new SealsReader({ keys: key ? [key.publicKey] : [], kept }, head);
  },
  notes: (report) => [...notesOnSeals(report), ...notesOnHead(report)],
};

function notesOnSeals({ seals }: AsJson<SealsInReport>): string[] {
  if (!seals) return ['Nothing was compared with seals: there are none, or only a part of the log was read.'];
  const { last, sealed_at, sealed_events, unsealed_events, keys, unnamed_keys_at, copied_from } = seals;
  if (last === null) return [];
  return [
    `${sealed_events} events are sealed, up to seal ${last} of ${sealed_at}; ${unsealed_events} wait for a seal.`,
    `The last seal is signed with the key ${keys.at(-1)}. A change that the owners of the key and of the store make together shows only against a kept seal (--against).`,
    ...(keys.length > 1 ? [`Keys so far: ${keys.join(', ')}.`] : []),
    ...copied_from.map(
      ({ chain, seal, sealed_at: at }) =>
        `The log was copied from one that ended with seal ${seal} of chain ${chain}, of ${at}. --against accepts that seal.`,
    ),
    ...unnamed_keys_at.map((number) => `The key of seal ${number} was not named by the one before it.`),
  ];
}

function notesOnHead({ seals, kept_head: head }: AsJson<SealsInReport>): string[] {
  if (!seals) return [];
  if (!head)
    return [
      'No head of the seals was found outside the database: only seals of the log itself were compared.',
    ];
  const { seal, accepted } = head;
  return [
    seal === null ? [] : [`Seal ${seal} is kept outside the database, and was compared.`],
    accepted ? [`${accepted.by} let sealing go on after it on ${accepted.at}: ${accepted.reason}`] : [],
  ].flat();
}
