import { BaseSequencer } from 'vitest/node';

/** Files that start whole services take longest, and files that test one function take least. */
const kinds = [/\/test\/(?:cli|standalone|journeys)\//, /\.e2e-spec\.ts$/, /\.int-spec\.ts$/];

/**
 * Starts long files first, so that no worker still runs a long file when the others have finished. Vitest knows
 * the times of an earlier run. If there was none, the kind of a file predicts its time better than its size
 * does.
 */
export class LongFilesFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    if (files.every((file) => this.ctx.cache.getTestSpecificationResult(file))) return sorted;
    const kindOf = ({ moduleId }) => {
      const kind = kinds.findIndex((pattern) => pattern.test(moduleId));
      return kind === -1 ? kinds.length : kind;
    };
    return sorted.toSorted((one, other) => kindOf(one) - kindOf(other));
  }
}
