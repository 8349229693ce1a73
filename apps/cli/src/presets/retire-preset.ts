import { installation } from '#application/operation/manage-operations.js';
import { retirePreset } from '#application/preset/publish-preset.js';
import { environments, type Environment } from '#domain/streams.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printLine } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface RetireOptions extends OutputOptions {
  readonly reason: string;
  readonly env?: Environment;
}

export async function retire(presetId: string, { reason, env, json }: RetireOptions): Promise<void> {
  await using operator = Operator.connect();
  const retired: Environment[] = [];
  for (const environment of env ? [env] : environments) {
    const context = operator.context(environment, installation);
    const done = await retirePreset(operator.store, context, presetId, reason);
    // An own preset may have been published in one environment only.
    if (done.kind === 'rejected') continue;
    await operator.caughtUp(environment, 'presets', done.position);
    retired.push(environment);
  }
  if (retired.length === 0) {
    throw new CliError(`there is no preset ${presetId}: "atelier presets list" shows those that there are`);
  }
  if (json) printJson({ id: presetId, retired });
  else printLine(`The preset ${presetId} is retired in ${retired.join(' and ')}.`);
}
