import { Command, InvalidArgumentError } from 'commander';

/**
 * The command line of an `npm run` that takes options. Unknown input ends it with code 2 and a list of all
 * options.
 */
export function npmRun(name: string, description: string): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .configureOutput({ writeErr: (text) => console.error(text.trim()) })
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

/** fast-check takes seeds of 32 bits; no other number here needs more. */
export const largestNumber = 2 ** 31 - 1;

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= largestNumber) return number;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${largestNumber}.`);
}

/** One of these names. @param of the kind of thing that they name */
export function oneOf(names: readonly string[], of: string) {
  return (name: string) => {
    if (names.includes(name)) return name;
    throw new InvalidArgumentError(`There is no such ${of}. There are: ${names.join(', ')}`);
  };
}

/** The same for an argument that may be given several times. */
export function someOf(names: readonly string[], of: string) {
  const one = oneOf(names, of);
  return (name: string, previous: readonly string[] = []) => [...previous, one(name)];
}
