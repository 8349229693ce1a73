import type { Command } from 'commander';
import { CliError } from './cli-error.js';

export interface OutputOptions {
  /** Machine-readable output on standard output; its keys are stable. */
  readonly json?: boolean;
}

/**
 * Adds one verb. What it does is imported when it is called and not before, so that `--help` and the other verbs do
 * not wait for libraries that they do not use.
 */
export function verb(parent: Command, signature: string, description: string): Command {
  return parent.command(signature).description(description).option('--json', 'machine-readable output');
}

/** An action whose failure is one line on standard error and exit code 1. */
export function guarded<Arguments extends unknown[]>(
  action: (...args: Arguments) => Promise<void>,
): (...args: Arguments) => Promise<void> {
  return async (...args) => {
    try {
      await action(...args);
    } catch (error) {
      process.exitCode = 1;
      process.stderr.write(`atelier: ${explain(error)}\n`);
    }
  };
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [line] = error.message.split('\n');
  if (error instanceof CliError) return line ?? '';
  // A defect or an outage: the kind of error is a part of what there is to know. `atelier doctor` looks further.
  return `${error.name}: ${line || (error as NodeJS.ErrnoException).code} (run "atelier doctor" to look further)`;
}
