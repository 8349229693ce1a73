import type { Environment } from '#domain/streams.js';

/** A reason as it stands now. */
export interface SeenReason {
  readonly what: string;
  readonly env: Environment | null;
  readonly detail: string;
}

/** All reasons of one kind in one environment. They are one alert, so that a fault is told once and not for each consumer. */
export interface Alert {
  readonly what: string;
  readonly env: Environment | null;
  readonly details: readonly string[];
}

/** An alert that is not over:
 *
 * - standing: `toldAt` is null. Entered when its reason is first seen; forgotten when a look does not find the reason.
 * - told: entered when the reason has stood for the time of the settings. A reminder is told each day.
 * - going: told, and `goneSince` is set. Entered when a look does not find the reason; left when one does. When the reason
 *   has been gone for {@link goneForMs}, the end is told. So a reason that comes and goes is told once.
 */
export interface KnownAlert extends Alert {
  readonly since: Date;
  readonly toldAt: Date | null;
  readonly goneSince: Date | null;
}

/** The consequence of a look for one alert. */
export type Change =
  | { readonly kind: 'stands'; readonly alert: Alert }
  | { readonly kind: 'forgotten' | 'gone' | 'back' | 'over'; readonly alert: KnownAlert }
  /** `alert` has the details of now. */
  | { readonly kind: 'told'; readonly alert: KnownAlert; readonly isReminder: boolean };

/** How long a reason must be gone before its end is told. */
export const goneForMs = 15 * 60_000;
/** How often an alert that stands is told again. */
export const remindAfterMs = 24 * 60 * 60_000;

export const nameOf = ({ env, what }: Pick<Alert, 'env' | 'what'>) => `${env ?? 'all'}.${what}`;

export function alertsOf(reasons: readonly SeenReason[]): Alert[] {
  return [...Map.groupBy(reasons, nameOf).values()].map((same) => ({
    // No group is empty.
    what: same[0]!.what,
    env: same[0]!.env,
    details: same.map(({ detail }) => detail),
  }));
}

/**
 * @param isWhole false: the look found no more than these reasons, and says nothing of the others
 * @param afterMs how long a reason must stand before it is told
 */
export function changesOf(
  known: readonly KnownAlert[],
  seen: readonly Alert[],
  { now, isWhole, afterMs }: { readonly now: Date; readonly isWhole: boolean; readonly afterMs: number },
): Change[] {
  const before = new Map(known.map((alert) => [nameOf(alert), alert]));
  const names = new Set(seen.map(nameOf));
  const passed = (since: Date, ms: number) => now.getTime() - since.getTime() >= ms;
  const standing = seen.flatMap((alert): Change[] => {
    const earlier = before.get(nameOf(alert));
    const changes: Change[] = earlier ? [] : [{ kind: 'stands', alert }];
    if (earlier?.goneSince) changes.push({ kind: 'back', alert: earlier });
    const { since, toldAt } = earlier ?? { since: now, toldAt: null };
    const isDue = toldAt === null ? passed(since, afterMs) : passed(toldAt, remindAfterMs);
    if (isDue)
      changes.push({
        kind: 'told',
        alert: { ...alert, since, toldAt, goneSince: null },
        isReminder: toldAt !== null,
      });
    return changes;
  });
  const gone = isWhole ? known.filter((alert) => !names.has(nameOf(alert))) : [];
  const going = gone.flatMap((alert): Change[] => {
    if (alert.toldAt === null) return [{ kind: 'forgotten', alert }];
    if (alert.goneSince === null) return [{ kind: 'gone', alert }];
    return passed(alert.goneSince, goneForMs) ? [{ kind: 'over', alert }] : [];
  });
  return [...standing, ...going];
}
