import { once } from 'node:events';
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { toJson } from './output.js';

/** A spreadsheet would run such a text as a formula. The apostrophe makes it plain text there. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

export async function* jsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${toJson(line)}\n`;
}

/** Waits until the reader has taken each piece, because there may be as many as in the whole history. */
export async function printPieces(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const piece of pieces)
    // Safe cast: the pieces are text, or CSV's bytes.
    if (!process.stdout.write(piece as string)) await once(process.stdout, 'drain');
}

export const asCsv = (lines: AsyncIterable<object>, columns: readonly string[]): AsyncIterable<unknown> =>
  Readable.from(lines).pipe(stringify({ header: true, columns: [...columns], cast: { string: harmless } }));
