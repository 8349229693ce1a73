/** Why the service cannot start, as one line that says what to do. Anything else that is thrown is a defect. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
