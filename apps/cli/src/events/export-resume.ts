import { open, type FileHandle } from 'node:fs/promises';
import { CliError } from '../cli-error.js';

const newline = 0x0a;
const chunkBytes = 64 * 1024;

/**
 * The position of the last whole line of an export. What follows that line was cut off in the middle, and is removed.
 * Undefined: there is no file, or no line in it.
 * @throws CliError when it is no export
 */
export async function exportedSoFar(path: string): Promise<bigint | undefined> {
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
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
    const { position } = JSON.parse(line) as { position?: unknown };
    if (typeof position === 'string' && /^\d+$/.test(position)) return BigInt(position);
  } catch {
    // Said below.
  }
  throw new CliError(`${path} is no export of events: its last line has no position`);
}
