import { createWriteStream, type WriteStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readForwards } from '#application/aggregate.js';
import type { Environment } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { errorCode, messageOf } from '#platform/errors.js';
import { withEventStore } from '../service.js';
import { checkStreamName, momentOf, noSuchStream, pagesOfLog, type Moment } from '../log-reading.js';
import { ProgressDisplay } from '../command/progress.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';

export interface ExportEventsOptions {
  readonly from?: string;
  readonly to?: string;
  readonly env?: Environment;
  readonly stream?: string;
  /** Absent: standard output. */
  readonly output?: string;
  readonly resume?: boolean;
}

interface Written {
  events: number;
  last: bigint | undefined;
}

/**
 * Exports the log as it is stored, one JSON object a line, up to its present end. It reads as fast as the
 * output takes it, and holds no more than some pages. To go on later, name the position of the last line.
 */
export async function exportEvents(options: ExportEventsOptions): Promise<void> {
  const { stream, output, resume } = options;
  if (resume && output === undefined)
    throw new CallRefused('--resume continues a file: name that file with --output');
  if (stream !== undefined) checkStreamName(stream);
  // Without the master key: personal words are exported as they are stored.
  await withEventStore(findConfiguration(), { maxConnections: 2 }, (store) => exportFrom(store, options));
}

async function exportFrom(store: EventStore, options: ExportEventsOptions): Promise<void> {
  const { env, stream, output, resume } = options;
  const to = boundOf('--to', options.to);
  if (
    stream !== undefined &&
    (await store.readStream(stream, { limit: 1, unprovenToo: true })).kind === 'stream-not-found'
  )
    throw noSuchStream(stream);
  const before = resume && output !== undefined ? await exportedSoFar(output) : undefined;
  const from = before === undefined ? boundOf('--from', options.from) : { number: before };

  const written: Written = { events: 0, last: undefined };
  const head = (await store.head()) ?? 0n;
  const pages = selectPages(store, { from, to, env, stream }, head);
  const display = output !== undefined || !process.stdout.isTTY ? new ProgressDisplay() : undefined;
  const lines = Readable.from(linesOf(pages, written, head, display), { highWaterMark: 1 });
  try {
    // Standard output stays open here. A reader who has seen enough closes it, which ends the whole command
    // quietly.
    await pipeline(lines, output === undefined ? process.stdout : fileAt(output, resume === true));
  } catch (error) {
    throw explained(error, output);
  } finally {
    display?.[Symbol.dispose]();
  }
  const through = written.last === undefined ? '' : `, the last at position ${written.last}`;
  process.stderr.write(`${written.events} events exported, seals included${through}\n`);
}

async function* linesOf(
  pages: AsyncIterable<readonly RecordedEvent[]>,
  written: Written,
  through: bigint,
  display: ProgressDisplay | undefined,
): AsyncGenerator<string> {
  let from: bigint | undefined;
  for await (const events of pages) {
    const last = events.at(-1);
    if (!last) continue;
    yield events.map((event) => `${JSON.stringify(exported(event))}\n`).join('');
    from ??= events[0]?.position ?? last.position;
    written.events += events.length;
    written.last = last.position;
    display?.show({ phase: 'export', position: last.position, from, through, events: written.events });
  }
}

/** An event in its stored form. Positions go as text: they may exceed what a JSON number holds exactly. */
function exported({ position, stream, revision, id, type, data, metadata }: RecordedEvent) {
  return { position: position.toString(), stream, revision: Number(revision), id, type, data, metadata };
}

function fileAt(path: string, goOn: boolean): WriteStream {
  return createWriteStream(path, { flags: goOn ? 'a' : 'wx' });
}

function explained(error: unknown, output: string | undefined): unknown {
  const code = errorCode(error);
  if (output === undefined || code === undefined || !/^E[A-Z]+$/.test(code)) return error;
  if (code === 'EEXIST')
    return new CallRefused(`${output} exists: use --resume to continue it, or name another file`);
  return new CallRefused(`${output} cannot be written: ${messageOf(error)}`);
}

interface ExportSelection {
  /**
   * A position selects the events after it, so that the last position of an export carries on. A time selects
   * the events from that moment on.
   */
  readonly from: Moment | undefined;
  /** Included. */
  readonly to: Moment | undefined;
  readonly env: Environment | undefined;
  readonly stream: string | undefined;
}

/**
 * The page is small, because each event may have a megabyte, and memory holds it four times over on its way to
 * a line.
 */
const pageSize = 250;

/** @throws CallRefused */
function boundOf(option: string, text: string | undefined): Moment | undefined {
  return text === undefined ? undefined : momentOf(option, text, 'position');
}

/** The events that are selected, page by page, up to the position `through`. */
async function* selectPages(
  store: EventStore,
  selection: ExportSelection,
  through: bigint,
): AsyncGenerator<readonly RecordedEvent[]> {
  const { from, to, env, stream } = selection;
  const after = from && 'number' in from ? from.number : undefined;
  const until = to && 'number' in to && to.number < through ? to.number : through;
  const filter = env && { streamPrefixes: [`${env}.`] };
  const pages =
    stream === undefined
      ? pagesOfLog(store, { after, filter, limit: pageSize, unprovenToo: true })
      : readForwards(store, stream, 0n, { pageSize, unprovenToo: true });
  for await (const page of pages) {
    // The clocks of processes differ a little, so the time of one event says nothing about the next ones.
    yield page.filter((event) => isWanted(event, selection, after, until));
    if ((page.at(-1)?.position ?? until) >= until) return;
  }
}

function isWanted(
  { position, stream, metadata }: RecordedEvent,
  { from, to, env }: ExportSelection,
  after: bigint | undefined,
  until: bigint,
): boolean {
  if (position > until || (after !== undefined && position <= after)) return false;
  if (env !== undefined && !stream.startsWith(`${env}.`)) return false;
  const recordedAt = Date.parse(metadata.recordedAt);
  if (from && 'time' in from && recordedAt < from.time) return false;
  return !(to && 'time' in to && recordedAt > to.time);
}

const newline = 0x0a;
const chunkBytes = 64 * 1024;

/**
 * The position of the last whole line of an export. A line after it was cut off in the middle, and is removed.
 * Undefined if there is no file, or no line in it.
 * @throws CallRefused if the file is no export
 */
async function exportedSoFar(path: string): Promise<bigint | undefined> {
  const file = await openExisting(path);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const end = await lastNewline(file, size);
    if (end < size - 1) await file.truncate(end + 1);
    if (end < 0) return undefined;
    const start = (await lastNewline(file, end)) + 1;
    const line = Buffer.alloc(end - start);
    await file.read(line, 0, line.length, start);
    return positionOf(line.toString(), path);
  } finally {
    await file.close();
  }
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new CallRefused(`${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Where the last newline before `end` is; -1: there is none. */
async function lastNewline(file: FileHandle, end: number): Promise<number> {
  const chunk = Buffer.alloc(chunkBytes);
  for (let to = end; to > 0;) {
    const from = Math.max(0, to - chunkBytes);
    const { bytesRead } = await file.read(chunk, 0, to - from, from);
    const found = chunk.subarray(0, bytesRead).lastIndexOf(newline);
    if (found >= 0) return from + found;
    to = from;
  }
  return -1;
}

function positionOf(line: string, path: string): bigint {
  try {
    // The file may hold anything, so the value is checked before it is used.
    const { position } = JSON.parse(line) as { position?: unknown };
    if (typeof position === 'string' && /^\d+$/.test(position)) return BigInt(position);
  } catch {
    // The error below covers this.
  }
  throw new CallRefused(`${path} is no export of events: its last line has no position`);
}
