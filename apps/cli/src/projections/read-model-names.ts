import type { ReadModel } from '#read-store/read-model.js';
import { readModels } from '#projections/read-models.js';
import { CliError } from '../cli-error.js';

/** The read models of these names, in the order in which the projector has them. @throws CliError */
export function chooseReadModels(names: readonly string[], all: boolean): readonly ReadModel<object>[] {
  const known = readModels.map(({ name }) => name);
  if (all && names.length > 0) throw new CliError('give names or --all, not both');
  if (all) return readModels;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new CliError(
      `${unknown === undefined ? 'say which read models' : `there is no read model ${JSON.stringify(unknown)}`}: ${known.join(', ')}, or --all`,
    );
  return readModels.filter(({ name }) => names.includes(name));
}
