import { environments, type Environment } from '#domain/streams.js';
import { ChoiceField, IdField, IntegerField } from '#validation/fields.js';
import { CallRefused } from './call-refused.js';
import { printLine } from './output.js';

export class NoInput {}

export class InEnvironment {
  @ChoiceField({ description: 'Only this data environment.', values: environments })
  env?: Environment;
}

export class OfTenant {
  @IdField({ description: 'The tenant.', required: true })
  tenant: string;
}

export class OfTenantInEnvironment extends InEnvironment {
  @IdField({ description: 'The tenant.', required: true })
  tenant: string;
}

/** The input of a call about one account: a tenant has one in each environment. */
export class OfAccount extends OfTenant {
  @ChoiceField({ description: 'Data environment.', values: environments, required: true })
  env: Environment;
}

export const LimitField = (max: number, usual: number): PropertyDecorator =>
  IntegerField({
    description: 'How many to show, the latest first.',
    min: 1,
    max,
    default: usual,
  });

export class PageInEnvironment extends InEnvironment {
  @LimitField(200, 50)
  limit: number = 50;

  @IntegerField({
    description: 'How many to skip.',
    min: 0,
    max: 1_000_000,
    default: 0,
  })
  offset: number = 0;
}

/** Explains how to get the rest of a list. */
export function printRest(shown: number, total: number): void {
  if (shown < total) printLine(`${shown} of ${total}: --offset ${shown} shows more.`);
}

/** The environment that `--env` names, or both. */
export function environmentsOf(env: Environment | undefined): readonly Environment[] {
  return env ? [env] : environments;
}

/** @returns milliseconds. @throws CallRefused */
export function timeOf(option: string, text: string, wanted = 'a time'): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new CallRefused(
    `${option} must be ${wanted} such as 2026-01-31T12:00:00Z, not ${JSON.stringify(text)}`,
  );
}
