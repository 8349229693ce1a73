import module from 'node:module';
import { Option, type Command } from 'commander';
import type { Environment } from '#domain/streams.js';
import { CliError } from './call-refused.js';
import { errorCode } from '#platform/errors.js';

export interface OutputOptions {
  /** Machine-readable output on standard output; its keys are stable. */
  readonly json?: boolean;
}

/** Of a verb that works in both environments, unless it is told in which. */
export interface EnvironmentOptions extends OutputOptions {
  readonly env?: Environment;
}

export function verb(parent: Command, signature: string, description: string): Command {
  return parent
    .command(signature)
    .description(description)
    .option('--json', 'machine-readable output')
    .addOption(new Option('--direct', 'on the database alone, also where a service runs').hideHelp());
}

type Action = (...args: never[]) => Promise<void>;

/**
 * The action of a verb: a function of a module that is imported when the verb is called and not before, so that
 * `--help` and the other verbs do not wait for libraries that they do not use. A failure is one line on standard error
 * and exit code 1.
 */
export function lazily<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Action>>>,
  name: Name,
): (...args: unknown[]) => Promise<void> {
  return async (...args) => {
    try {
      // Compiled code is kept on the disk between calls, which spares a verb about a third of its time.
      module.enableCompileCache?.();
      const actions = await load();
      // Commander passes what the signature of the verb declares; its types say nothing of it.
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
  if (error instanceof CliError) return line ?? '';
  // A defect or an outage: the kind of error helps to find it. `atelier doctor` looks further.
  return `${error.name}: ${line || errorCode(error)} (run "atelier doctor" to look further)`;
}
