import { CliError } from '../cli-error.js';

/** @returns milliseconds. @throws CliError */
export function timeOf(option: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new CliError(`${option} must be a time such as 2026-01-31T12:00:00Z, not ${JSON.stringify(text)}`);
}

/** A time, or in digits a number of what the verb counts by. @throws CliError */
export function momentOf(
  text: string,
  counted: string,
): { readonly time: number } | { readonly number: bigint } {
  if (/^\d+$/.test(text)) return { number: BigInt(text) };
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return { time };
  throw new CliError(
    `--at must be a ${counted} or a time such as 2026-01-31T12:00:00Z, not ${JSON.stringify(text)}`,
  );
}
