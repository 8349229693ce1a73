import Sequencer from '@jest/test-sequencer';

/** Files that start whole services take longest, and those of one function least. */
const kinds = [/\/test\/(?:crash|cli|standalone|journeys)\//, /\.e2e-spec\.ts$/, /\.int-spec\.ts$/];

/**
 * Long files first, so that no worker is left with one when the others have finished. Jest knows how long each took
 * when it has run before; on a machine where it has not, the kind of a file says it better than its size.
 */
// oxlint-disable-next-line import/no-default-export -- Jest asks for a default export.
export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (tests.every(({ duration }) => duration !== undefined)) return sorted;
    const kindOf = ({ path }) => {
      const kind = kinds.findIndex((pattern) => pattern.test(path));
      return kind === -1 ? kinds.length : kind;
    };
    return sorted.toSorted((one, other) => kindOf(one) - kindOf(other));
  }
}
