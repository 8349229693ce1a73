import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export type ZippedFile = readonly [path: string, bytes: Buffer];

/**
 * A ZIP of the files, written while it is read. One file is in memory at a time, and a slow reader is waited for. JSON is
 * compressed; pictures are already. An error ends the archive early, so that no reader takes it for whole.
 * @param at the time that each file shows
 */
export function zipOf(files: AsyncIterable<ZippedFile>, at: Date): Readable {
  const zip = new ZipFile();
  // Its type says less: it is a PassThrough.
  const output = zip.outputStream as Readable;
  const left = new AbortController();
  output.once('close', () => left.abort());
  // It may fail before its reader listens. The reader then finds it destroyed; without this, the process would end.
  output.on('error', () => undefined);
  const write = async () => {
    for await (const [path, bytes] of files) {
      const file = Readable.from([bytes]);
      zip.addReadStreamLazy(path, { mtime: at, compress: path.endsWith('.json') }, (give) =>
        give(null, file),
      );
      await finished(file, { signal: left.signal });
    }
    zip.end();
  };
  write().catch((error: unknown) => output.destroy(error as Error));
  return output;
}

export function jsonFile(path: string, value: object): ZippedFile {
  return [path, Buffer.from(`${JSON.stringify(value, null, 2)}\n`)];
}
