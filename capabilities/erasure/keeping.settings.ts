import { longestRetentionDays } from '#domain/kept-for.js';
import type { SettingsReader } from '#platform/configuration.js';
import { keptKinds, type KeptKind } from './keeping.events.js';
import type { KeptDays } from './keeping/retention.js';

export interface KeepingSettings {
  /** How long things are kept if the tenant has no rule of its own. */
  readonly usual: KeptDays;
  /** No tenant can keep things for longer. */
  readonly most: KeptDays;
  /** How many days before a picture is erased its tenant is told; 0: it is not. */
  readonly warningDays: number;
}

export function readKeepingSettings(settings: SettingsReader): { readonly keeping: KeepingSettings } {
  const usual = settings.parsed('ATELIER_RETENTION_DAYS', parseDays, {});
  const most = settings.parsed('ATELIER_RETENTION_MAX_DAYS', parseDays, {});
  for (const kind of keptKinds) {
    const { [kind]: days } = usual;
    const { [kind]: limit } = most;
    if (days !== undefined && limit !== undefined && days > limit)
      settings.problems.push(
        `ATELIER_RETENTION_DAYS keeps ${kind} for ${days} days, and ATELIER_RETENTION_MAX_DAYS allows ${limit}`,
      );
  }
  return { keeping: { usual, most, warningDays: settings.integer('ATELIER_EXPIRY_WARNING_DAYS', 3, 0, 90) } };
}

/** `uploads=30,words=365`. */
function parseDays(text: string): KeptDays | string {
  const days: Partial<Record<KeptKind, number>> = {};
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=', 2).map((each) => each.trim());
    const kind = keptKinds.find((each) => each === name);
    const count = Number(value);
    if (!kind || !/^\d+$/.test(value) || count < 1 || count > longestRetentionDays)
      return (
        `must be days by kind, such as uploads=30,words=365: the kinds are ${keptKinds.join(', ')}, ` +
        `with 1 to ${longestRetentionDays} days each, not "${part}"`
      );
    days[kind] = count;
  }
  return days;
}
