import { parseStreamName } from '#domain/streams.js';
import type { EventFilter, EventStore, RecordedEvent } from '#event-store/event-store.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { timeOf } from '#operator-calls/input.js';

/** @throws CallRefused for a name that this service does not write */
export function checkStreamName(stream: string): NonNullable<ReturnType<typeof parseStreamName>> {
  const name = parseStreamName(stream);
  if (name) return name;
  throw new CallRefused(
    `${JSON.stringify(stream)} is not the name of a stream: it is live. or test., then account-, job-, key-, asset- or usage-, then an id`,
  );
}

export function noSuchStream(stream: string): CallRefused {
  return new CallRefused(
    `there is no stream ${stream}: "atelier events tail" shows the names of streams as events come`,
    'RESOURCE_NOT_FOUND',
  );
}

/**
 * A time in milliseconds, compared with the events' `recordedAt`, or a number in the unit that the verb counts
 * in.
 */
export type Moment = { readonly time: number } | { readonly number: bigint };

/** `counted`: the unit of a number. @throws CallRefused for an option that is neither a time nor a number */
export function momentOf(option: string, text: string, counted: 'position' | 'revision'): Moment {
  if (/^\d{1,18}$/.test(text)) return { number: BigInt(text) };
  return { time: timeOf(option, text, `a ${counted} or a time`) };
}

/** Whether an event of a stream had happened by the moment that `--at` names. @throws CallRefused */
export function happenedBy(at: string | undefined): (event: RecordedEvent) => boolean {
  if (at === undefined) return () => true;
  const moment = momentOf('--at', at, 'revision');
  if ('number' in moment) return ({ revision }) => revision <= moment.number;
  return ({ metadata }) => Date.parse(metadata.recordedAt) <= moment.time;
}

/** Whether the position of an event is at or before the one that `--position` names. @throws CallRefused */
export function happenedThrough(position: string | undefined): (event: RecordedEvent) => boolean {
  if (position === undefined) return () => true;
  if (!/^\d+$/.test(position))
    throw new CallRefused('--position must be a position of the log', 'VALIDATION_ERROR');
  const through = BigInt(position);
  return (event) => event.position <= through;
}

interface LogPages {
  readonly after?: bigint | undefined;
  readonly filter?: EventFilter | undefined;
  readonly limit: number;
  readonly unprovenToo?: boolean;
}

/** The log after a position, in pages of at most `limit` events, until its end. */
export async function* pagesOfLog(
  store: EventStore,
  { after, filter, limit, unprovenToo = false }: LogPages,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let last = after; ;) {
    const page = await store.readAll({
      limit,
      unprovenToo,
      ...(last !== undefined && { after: last }),
      ...(filter && { filter }),
    });
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)?.position;
  }
}

/**
 * The events that pass a filter. They are kept between looks, so a look reads only the new part of the log. Use
 * it for filters that few events pass.
 */
export class KeptEvents {
  private events: RecordedEvent[] = [];
  private through = 0n;
  private looking: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: EventStore,
    private readonly filter: EventFilter,
  ) {}

  /** @throws what the store throws; the next look then goes on from where this one stopped */
  all(): Promise<readonly RecordedEvent[]> {
    const looked = this.looking.then(() => this.look());
    this.looking = looked.catch(() => undefined);
    return looked;
  }

  private async look(): Promise<readonly RecordedEvent[]> {
    const head = (await this.store.head()) ?? 0n;
    // After a restore, another log is in place of the earlier one.
    if (head < this.through) [this.events, this.through] = [[], 0n];
    const { through: after, filter } = this;
    // Events that this service did not write are not shown as its own: the audit names them.
    for await (const page of pagesOfLog(this.store, { after, filter, limit: 1_000, unprovenToo: true })) {
      this.events.push(...page.filter(({ unproven }) => unproven === undefined));
      this.through = page.at(-1)?.position ?? this.through;
    }
    if (this.through < head) this.through = head;
    return this.events;
  }
}
