import { BaseSequencer } from 'vitest/node';

/** Files that start whole services take longest, and files that test one function take least. */
const kinds = [/\/test\/(?:cli|standalone|journeys)\//, /\.e2e-spec\.ts$/, /\.int-spec\.ts$/];

/**
 * Long files first, so that no worker is left with one when the others have finished. Vitest knows the times of an
 * earlier run. Without one, the kind of a file predicts its time better than its size.
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
