import { InvalidArgumentError, Option } from 'commander';
import type { PurchaseKind } from '#domain/account/account.events.js';
import { capabilityNames, type Capability } from '#domain/key/key.events.js';
import type { Environment } from '#domain/streams.js';
import type { WebhookTopic } from '#domain/webhook/webhook.events.js';
import { webhookTopics } from '#domain/webhook/webhook.js';

/** A parser for whole numbers within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** A parser for credits. More than this at once is a slip of the finger. */
export const credits = (least: number) => wholeNumber(least, 1_000_000_000);

/** A parser for text that people read: trimmed, within bounds, on one line. */
export function shortText(least: number, most: number): (text: string) => string {
  return (text) => {
    const value = text.trim();
    if (value.length >= least && value.length <= most && !/\p{Cc}/u.test(value)) return value;
    throw new InvalidArgumentError(`It must have ${least} to ${most} characters, on one line.`);
  };
}

export function ulid(text: string): string {
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a ULID: 26 characters, for example 01JABCDEFGHJKMNPQRSTVWXYZ0.');
}

export function capabilities(text: string): Capability[] {
  const found = text.split(',').map((part) => {
    const name = part.trim();
    const capability = capabilityNames.get(name);
    if (capability) return capability;
    throw new InvalidArgumentError(`${JSON.stringify(name)} is none: use jobs:create, jobs:read or both.`);
  });
  return [...new Set(found)];
}

const unitsMs: ReadonlyMap<string | undefined, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** A parser for lengths of time up to some days: `0`, `90s`, `15m`, `24h`, `7d`. @returns milliseconds */
export function duration(mostDays: number): (text: string) => number {
  return (text) => {
    if (text === '0') return 0;
    const [, digits, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
    const milliseconds = Number(digits) * (unitsMs.get(unit) ?? Number.NaN);
    if (milliseconds <= mostDays * 86_400_000) return milliseconds;
    throw new InvalidArgumentError(`It must be a time such as 90s, 15m, 24h or 7d, at most ${mostDays}d.`);
  };
}

export function environmentOption(description = 'data environment'): Option {
  return new Option('--env <environment>', description).choices(['live', 'test'] satisfies Environment[]);
}

export function tenantOption(): Option {
  return new Option('--tenant <id>', 'tenant').argParser(ulid).makeOptionMandatory();
}

export function reasonOption(otherwise: string): Option {
  const option = new Option('--reason <text>', 'why, for the record');
  return option.argParser(shortText(1, 200)).default(otherwise);
}

export function purchaseKindOption(): Option {
  const kinds: PurchaseKind[] = ['pack', 'subscription'];
  return new Option('--kind <kind>', 'what was bought').choices(kinds);
}

/** A parser for a moment, with its time zone. */
export function time(text: string): Date {
  const moment = new Date(text);
  if (/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
}

export function topics(text: string): WebhookTopic[] {
  const named = text.split(',').map((part) => part.trim());
  const wrong = named.find((name) => !webhookTopics.some((topic) => topic === name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`${JSON.stringify(wrong)} is none: use ${webhookTopics.join(', ')}.`);
  return webhookTopics.filter((topic) => named.includes(topic));
}
