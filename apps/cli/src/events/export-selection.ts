import { readForwards } from '#application/aggregate.js';
import type { Environment } from '#domain/streams.js';
import type { EventFilter, EventStore, RecordedEvent } from '#event-store/event-store.js';
import { CliError } from '../cli-error.js';

/** A place in the log, or a moment as the events' own `recordedAt` tells it, in milliseconds. */
export type ExportBound =
  { readonly kind: 'position'; readonly position: bigint } | { readonly kind: 'time'; readonly time: number };

export interface ExportSelection {
  /** A position: what comes after it, so that the last one of an export carries on. A time: from that moment on. */
  readonly from: ExportBound | undefined;
  /** Included. */
  readonly to: ExportBound | undefined;
  readonly env: Environment | undefined;
  readonly stream: string | undefined;
}

/** Few, for each event may have a megabyte: what a page holds is held four times over on its way to a line. */
const pageSize = 250;

/** @throws CliError */
export function exportBound(option: string, text: string | undefined): ExportBound | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,18}$/.test(text)) return { kind: 'position', position: BigInt(text) };
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return { kind: 'time', time };
  throw new CliError(
    `${option} must be a position or a time such as 2026-01-31T12:00:00Z, not ${JSON.stringify(text)}`,
  );
}

/** The events that are selected, page by page, up to the position `through`. */
export async function* selectPages(
  store: EventStore,
  { from, to, env, stream }: ExportSelection,
  through: bigint,
): AsyncGenerator<readonly RecordedEvent[]> {
  const after = from?.kind === 'position' ? from.position : undefined;
  const until = to?.kind === 'position' && to.position < through ? to.position : through;
  const pages =
    stream === undefined ? pagesOfLog(store, after, env) : readForwards(store, stream, 0n, pageSize);
  for await (const page of pages) {
    // Clocks of several processes differ a little, so times say nothing about the events behind.
    yield page.filter((event) => isWanted(event, { from, to, env }, after, until));
    if ((page.at(-1)?.position ?? until) >= until) return;
  }
}

async function* pagesOfLog(
  store: EventStore,
  after: bigint | undefined,
  env: Environment | undefined,
): AsyncGenerator<readonly RecordedEvent[]> {
  const filter: EventFilter | undefined = env && { streamPrefixes: [`${env}.`] };
  for (let last = after; ;) {
    const page = await store.readAll({
      ...{ limit: pageSize, ...(last !== undefined && { after: last }), ...(filter && { filter }) },
    });
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)!.position;
  }
}

function isWanted(
  { position, stream, metadata }: RecordedEvent,
  { from, to, env }: Pick<ExportSelection, 'from' | 'to' | 'env'>,
  after: bigint | undefined,
  until: bigint,
): boolean {
  if (position > until || (after !== undefined && position <= after)) return false;
  if (env !== undefined && !stream.startsWith(`${env}.`)) return false;
  const recordedAt = Date.parse(metadata.recordedAt);
  if (from?.kind === 'time' && recordedAt < from.time) return false;
  return !(to?.kind === 'time' && recordedAt > to.time);
}
