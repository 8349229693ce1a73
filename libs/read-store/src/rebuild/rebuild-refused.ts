/** The rebuild cannot be done as things are, and nothing was changed. The message is for the operator. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
}
