import { createWriteStream, existsSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { errorCode } from '#platform/errors.js';
import { newId } from '#platform/ids.js';
import { InvalidFields } from '#validation/validate.js';
import { checkedInput, perform } from '../perform-call.js';
import type { AnyCall, OutputForm } from '#operator-calls/call.js';
import { findAdminApi } from './admin-client.js';
import { ConnectedOperator } from '../connected-operator.js';
import { printJson, printLine, toJson } from '#operator-calls/output.js';
import { withProgress } from './progress.js';
import { CallRefused } from '#operator-calls/call-refused.js';

/**
 * Makes a call with the arguments that commander has read, and prints the result. The output is the same with
 * and without the API.
 */
export async function ask(call: AnyCall, args: readonly unknown[]): Promise<void> {
  // Commander passes the arguments that the signature declares, the options, and the command.
  const command = args.at(-1) as Command;
  const {
    json = false,
    csv = false,
    direct,
    out,
    ...options
  } = command.opts<Partial<OutputForm> & { direct?: boolean; out?: string }>();
  const named = command.registeredArguments.map((argument, place) => [argument.name(), args[place]] as const);
  const given = [...named, ...Object.entries(options)].map(([name, value]) => [snake(name), value]);
  const typed = JSON.parse(toJson(Object.fromEntries(given))) as object;
  const input = (await call.prepare?.(typed)) ?? typed;
  const valid = checked(call, input);
  // Before the call: it is recorded, and may take long.
  if (out !== undefined && existsSync(out)) throw isThere(out);
  const api = direct || call.local ? undefined : findAdminApi();
  const answered = await api?.ask(call, input);
  const print = async (given: unknown) => {
    if (call.download) return saved(given as Readable, String(out), json);
    // Converts the result as the API does, so that both ways print the same.
    const result = (call.lines ? linesFrom(given) : JSON.parse(toJson(given ?? null))) as never;
    if (json && !call.lines) printJson(result);
    else await call.print(result, valid, { json, csv });
    return result;
  };
  const result = await (answered ? print(answered.result) : withAnswer(call, valid, print));
  if (call.failed?.(result)) process.exitCode = 1;
  const complaint = call.complaint?.(result, valid);
  if (complaint !== undefined) throw new CallRefused(complaint);
}

const isThere = (out: string) => new CallRefused(`${out} is there already: name a new file`);

/** @throws CallRefused if the file is there already */
async function saved(file: Readable, out: string, json: boolean): Promise<never> {
  // The file may hold personal data, so only its owner reads it.
  const target = createWriteStream(out, { flags: 'wx', mode: 0o600 });
  await pipeline(file, target).catch((error: unknown) => {
    if (errorCode(error) === 'EEXIST') throw isThere(out);
    // Half of a file would look like all of it.
    rmSync(out, { force: true });
    throw error;
  });
  if (json) printJson({ out, size_bytes: target.bytesWritten });
  else printLine(`${out} is written: ${target.bytesWritten} bytes.`);
  return undefined as never;
}

const snake = (name: string) =>
  name.replace(/-/g, '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

async function* linesFrom(given: unknown): AsyncGenerator {
  // A call with lines answers with an async iterable.
  for await (const line of given as AsyncIterable<unknown>) yield JSON.parse(toJson(line));
}

/** Lines are read while they are printed, so the connections stay open until the last line is out. */
async function withAnswer<T>(
  call: AnyCall,
  valid: object,
  print: (answer: unknown) => Promise<T>,
): Promise<T> {
  if (call.here) return print(await call.here(valid));
  await using operator = await ConnectedOperator.connect(call.features);
  const idempotencyKey = call.idempotent ? newId() : undefined;
  const work = (signal: AbortSignal, onProgress: Parameters<typeof perform>[3]['onProgress']) =>
    perform(call, operator, valid, { idempotencyKey, signal, onProgress });
  if (!call.long) return await print(await work(new AbortController().signal, () => undefined));
  return await print(await withProgress(call.long, work));
}

function checked(call: AnyCall, input: object): object {
  try {
    return checkedInput(call, input, 'body');
  } catch (error) {
    if (error instanceof InvalidFields) throw new CallRefused(error.message, 'VALIDATION_ERROR');
    throw error;
  }
}
