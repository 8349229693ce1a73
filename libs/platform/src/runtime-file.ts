import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writePrivateJson } from './private-files.js';
import { isRunning, type ProcessIdentity } from './processes.js';

/** What a running `npm start` tells the operator's command about itself. Private: the URLs hold a password. */
export interface Runtime {
  readonly process: ProcessIdentity;
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
}

function fileOf(home: string): string {
  return join(home, 'runtime.json');
}

export function writeRuntime(home: string, runtime: Runtime): void {
  writePrivateJson(fileOf(home), runtime);
}

export function removeRuntime(home: string): void {
  rmSync(fileOf(home), { force: true });
}

/** Undefined when nothing runs on this home: also when the file was left behind by a process that was killed. */
export function readRuntime(home: string): Runtime | undefined {
  // Only `writeRuntime` writes the file, and it never leaves half of one.
  const runtime = readJson(fileOf(home)) as Runtime | undefined;
  return runtime && isRunning(runtime.process) ? runtime : undefined;
}
