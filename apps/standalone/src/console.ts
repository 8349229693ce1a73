import { styleText } from 'node:util';

/** Lines for the person at the terminal. The demo key is the only secret that it prints, once. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Something went wrong but is being dealt with. */
export function warn(line: string): void {
  process.stderr.write(`${styleText('yellow', 'atelier:', { stream: process.stderr })} ${line}\n`);
}

/** The one line that explains why the process ends. */
export function complain(line: string): void {
  process.stderr.write(
    `${styleText('red', 'atelier:', { stream: process.stderr })} ${line.split('\n')[0]}\n`,
  );
}

/** Why the service cannot start, as one line that says what to do. Anything else that is thrown is a defect. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
