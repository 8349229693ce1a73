import module from 'node:module';
import { Option, type Command } from 'commander';
import type { Environment } from '#domain/streams.js';
import { CallRefused } from './call-refused.js';
import { errorCode } from '#platform/errors.js';

export interface OutputOptions {
  /** Machine-readable output on standard output; its keys are stable. */
  readonly json?: boolean;
}

/** Options of a verb that works in both environments unless `--env` names one. */
export interface EnvironmentOptions extends OutputOptions {
  readonly env?: Environment;
}

export function verb(parent: Command, signature: string, description: string): Command {
  return parent
    .command(signature)
    .description(description)
    .option('--json', 'machine-readable output')
    .addOption(new Option('--direct', 'work on the database alone, even if a service runs').hideHelp());
}

type Action = (...args: never[]) => Promise<void>;

/**
 * The action of a verb: a function of a module that is imported only when the verb runs. `--help` and the other
 * verbs thus do not wait for libraries that they do not use. A failure gives one line on standard error and
 * exit code 1.
 */
export function lazily<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Action>>>,
  name: Name,
): (...args: unknown[]) => Promise<void> {
  return async (...args) => {
    try {
      // Keeps compiled code on disk between calls, which saves a verb about a third of its time.
      module.enableCompileCache?.();
      const actions = await load();
      // Commander passes the arguments in the verb's signature, but its types do not show this.
      await (actions[name] as (...given: unknown[]) => Promise<void>)(...args);
    } catch (error) {
      process.exitCode = 1;
      process.stderr.write(`atelier: ${explain(error)}\n`);
    }
  };
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [line] = error.message.split('\n');
  if (error instanceof CallRefused) return line ?? '';
  // A defect or an outage: the error's name helps to find it, and `atelier doctor` checks further.
  return `${error.name}: ${line || errorCode(error)} (run "atelier doctor" to find the cause)`;
}
