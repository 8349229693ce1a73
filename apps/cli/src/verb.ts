import module from 'node:module';
import { Option, type Command } from 'commander';
import type { Environment } from '#domain/streams.js';
import { errorCode } from '#platform/errors.js';

/** What a refusal of the operator's API is called, and the HTTP status that it comes with. */
export const refusals = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  ROLE_REQUIRED: 403,
  FOREIGN_ORIGIN: 403,
  RESOURCE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REFUSED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type RefusalCode = keyof typeof refusals;

/** Something that the operator can put right. The message is one line that says what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly code: RefusalCode = 'REFUSED',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

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
