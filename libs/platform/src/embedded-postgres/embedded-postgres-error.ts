/** Why the embedded database cannot run, as one line that an operator can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
