import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Link } from 'wouter';

const numbers = new Intl.NumberFormat('en');
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

export const count = (value: number | string) => numbers.format(Number(value));

/** `1 job`, `2 jobs`. */
export const many = (value: number, one: string, several = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : several}`;

/** In the units of file managers: `412 kB`, `2.4 MB`. */
export function bytes(size: number): string {
  if (size < 1_000_000) return `${count(Math.ceil(size / 1_000))} kB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
}

/** One unit is enough to know whether to get up. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Within the last day: how long ago. Before that: the local time. Hovering shows the full time and UTC. */
export function Time({ at, whole = false }: { at: string | null | undefined; whole?: boolean }) {
  if (!at) return <span className="soft">–</span>;
  const time = new Date(at);
  const seconds = (Date.now() - time.getTime()) / 1000;
  const recent = !whole && seconds >= 0 && seconds < 86_400;
  return (
    <time dateTime={at} title={`${moment.format(time)} here, ${at}`}>
      {recent ? `${duration(seconds)} ago` : moment.format(time)}
    </time>
  );
}

/** The end of an id distinguishes it. One press shows the whole id. */
export function Id({ id, whole = false }: { id: string; whole?: boolean }) {
  const [copied, setCopied] = useState(false);
  if (!whole)
    return (
      <span className="id" title={id}>
        {id.length > 14 ? `…${id.slice(-8)}` : id}
      </span>
    );
  const copy = () => void navigator.clipboard.writeText(id).then(() => setCopied(true));
  return (
    <span>
      <span className="id">{id}</span>{' '}
      <Button className="button plain small" onPress={copy} aria-label={`Copy ${id}`}>
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </span>
  );
}

interface LinkParts {
  readonly id: string;
}

export function JobLink({ id }: LinkParts) {
  return (
    <Link href={`/jobs/${id}`}>
      <Id id={id} />
    </Link>
  );
}

export function Credits({ value, signed = false }: { value: number | null | undefined; signed?: boolean }) {
  if (value === null || value === undefined) return <span className="soft">–</span>;
  const text = signed && value > 0 ? `+${count(value)}` : count(value).replace('-', '−');
  return <span className={signed && value < 0 ? 'bad' : undefined}>{text}</span>;
}

const tones: Readonly<Record<string, string>> = {
  SUCCESS: 'good',
  succeeded: 'good',
  active: 'good',
  live: 'good',
  done: 'good',
  enabled: 'good',
  published: 'good',
  credited: 'good',
  approved: 'good',
  delivered: 'good',
  completed: 'good',
  SETTLED: 'good',
  settled: 'good',
  FAILURE: 'bad',
  failed: 'bad',
  halted: 'bad',
  revoked: 'bad',
  refused: 'bad',
  declined: 'bad',
  suspended: 'bad',
  'beyond the log': 'bad',
  exhausted: 'bad',
  disabled: 'bad',
  IN_PROGRESS: 'warn',
  rendering: 'warn',
  running: 'warn',
  building: 'warn',
  proposed: 'warn',
  notice: 'warn',
  erasing: 'warn',
  PENDING: 'warn',
  FAILED: 'bad',
  PURCHASED: 'good',
  REFUNDED: 'soft',
  retiring: 'warn',
  cancelled: 'soft',
  retired: 'soft',
  expired: 'soft',
};

/** A state in words. The colour beside it says no more than the words. */
export function Status({ of }: { of: string }) {
  const words = of.toLowerCase().replaceAll('_', ' ');
  return <span className={`tag ${tones[of] ?? 'soft hollow'}`}>{words}</span>;
}

/** The states that a list of jobs can be limited to. */
export const jobStates = [
  ['', 'any'],
  ['NOT_STARTED', 'queued'],
  ['IN_PROGRESS', 'in progress'],
  ['SUCCESS', 'succeeded'],
  ['FAILURE', 'failed or cancelled'],
] as const;
