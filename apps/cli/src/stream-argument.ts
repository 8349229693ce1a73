import { parseStreamName } from '#domain/streams.js';
import { CliError } from './cli-error.js';

/** @throws CliError for a name that this service does not write */
export function checkStreamName(stream: string): NonNullable<ReturnType<typeof parseStreamName>> {
  const name = parseStreamName(stream);
  if (name) return name;
  throw new CliError(
    `${JSON.stringify(stream)} is not the name of a stream: it is live. or test., then account-, job-, key-, asset- or usage-, then an id`,
  );
}

export function noSuchStream(stream: string): CliError {
  return new CliError(
    `there is no stream ${stream}: "atelier events tail" shows the names of streams as events come`,
  );
}
