import { accept, reject, type Decision } from '#domain/decision.js';
import { keptKinds, type KeptKind, type OwnDays, type RetentionEvent } from '../keeping.events.js';

/** Days by kind. Undefined: without a limit. */
export type KeptDays = Readonly<Partial<Record<KeptKind, number>>>;

export const initialOwnDays: OwnDays = { uploads: null, intermediates: null, finals: null, words: null };

export function evolveRetention(_rule: OwnDays, { data }: RetentionEvent): OwnDays {
  return data.days;
}

export interface TooLong {
  readonly code: 'TOO_LONG';
  readonly kind: KeptKind;
  /** The operator's maximum, in days. */
  readonly most: number;
}

/** Kinds that are left out stay as they are. A tenant can only keep things for less than the maximum. */
export function changeRetention(
  {
    days,
    most,
    at,
  }: { readonly days: Readonly<Partial<OwnDays>>; readonly most: KeptDays; readonly at: string },
  rule: OwnDays,
): Decision<RetentionEvent, TooLong> {
  for (const kind of keptKinds) {
    const { [kind]: wanted } = days;
    const { [kind]: limit } = most;
    if (wanted !== undefined && wanted !== null && limit !== undefined && wanted > limit)
      return reject({ code: 'TOO_LONG', kind, most: limit });
  }
  const after = { ...rule, ...days };
  if (keptKinds.every((kind) => after[kind] === rule[kind])) return accept();
  return accept({ type: 'RetentionRuleChanged', data: { days: after, at } });
}

/** For how long a kind is kept; undefined: without a limit. */
export function daysKept(
  kind: KeptKind,
  own: Readonly<OwnDays>,
  { usual, most }: { readonly usual: KeptDays; readonly most: KeptDays },
): number | undefined {
  const limits = [own[kind] ?? usual[kind], most[kind]].filter((days) => days !== undefined);
  return limits.length === 0 ? undefined : Math.min(...limits);
}
