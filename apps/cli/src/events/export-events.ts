import { createWriteStream, type WriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { ProgressDisplay } from '../progress.js';
import { checkStreamName, noSuchStream } from '../stream-argument.js';
import { exportedSoFar } from './export-resume.js';
import { exportBound, selectPages, type ExportBound } from './export-selection.js';

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
 * The log as it is stored, one JSON object a line, up to where its end is now. Reads as fast as the output takes it, and
 * holds no more than some pages. Whoever wants to go on later names the position of the last line.
 */
export async function exportEvents(options: ExportEventsOptions): Promise<void> {
  const { env, stream, output, resume } = options;
  if (resume && output === undefined)
    throw new CliError('--resume goes on with a file: name it with --output');
  if (stream !== undefined) checkStreamName(stream);
  const to = exportBound('--to', options.to);
  await using operator = Operator.connect();
  const { store } = operator;
  if (stream !== undefined && (await store.readStream(stream, { limit: 1 })).kind === 'stream-not-found')
    throw noSuchStream(stream);
  const before = resume && output !== undefined ? await exportedSoFar(output) : undefined;
  const from: ExportBound | undefined =
    before === undefined ? exportBound('--from', options.from) : { kind: 'position', position: before };

  const written: Written = { events: 0, last: undefined };
  const head = (await store.head()) ?? 0n;
  const pages = selectPages(store, { from, to, env, stream }, head);
  const display = output !== undefined || !process.stdout.isTTY ? new ProgressDisplay() : undefined;
  const lines = Readable.from(linesOf(pages, written, head, display), { highWaterMark: 1 });
  try {
    // Standard output is left open; a reader who has seen enough closes it, which ends the whole command quietly.
    await pipeline(lines, output === undefined ? process.stdout : fileAt(output, resume === true));
  } catch (error) {
    throw explained(error, output);
  } finally {
    display?.[Symbol.dispose]();
  }
  const through = written.last === undefined ? '' : `, the last at position ${written.last}`;
  process.stderr.write(`${written.events} events exported${through}\n`);
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
    from ??= events[0]!.position;
    written.events += events.length;
    written.last = last.position;
    display?.show({ phase: 'export', position: last.position, from, through, events: written.events });
  }
}

/** As it is stored. Positions go as text: they may exceed what a JSON number holds exactly. */
function exported({ position, stream, revision, id, type, data, metadata }: RecordedEvent) {
  return { position: position.toString(), stream, revision: Number(revision), id, type, data, metadata };
}

function fileAt(path: string, goOn: boolean): WriteStream {
  return createWriteStream(path, { flags: goOn ? 'a' : 'wx' });
}

function explained(error: unknown, output: string | undefined): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (output === undefined || code === undefined || !/^E[A-Z]+$/.test(code)) return error;
  if (code === 'EEXIST')
    return new CliError(`${output} exists: use --resume to go on with it, or name another file`);
  return new CliError(`${output} cannot be written: ${(error as Error).message}`);
}
