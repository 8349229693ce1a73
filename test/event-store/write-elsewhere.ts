import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WriteJob } from './harness.js';

const writer = join(import.meta.dirname, '..', '..', 'dist', 'test', 'event-store', 'event-writer.js');

/** Appends from a process of its own. @returns what it wrote to its standard error */
export async function writeElsewhere(
  url: string,
  { prefix, streams, events }: WriteJob,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const args = [writer, url, prefix, String(streams), String(events)];
  const { stderr } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...variables },
  });
  return stderr;
}
