import { readFileSync, writeFileSync } from 'node:fs';

/**
 * For programs whose output is kept in the repository. They run in its top folder. `--write` writes the file;
 * `--check` sets exit code 1 if the file differs.
 */
export function keepWritten(path: string, document: string): void {
  switch (process.argv[2]) {
    case '--write':
      writeFileSync(path, document);
      break;
    case '--check':
      if (readFileSync(path, 'utf8') !== document) {
        process.stderr.write(
          `${path} differs from the code: run \`npm run openapi\` and commit what it writes\n`,
        );
        process.exitCode = 1;
      }
      break;
    default:
      process.stderr.write('usage: openapi --write | --check\n');
      process.exitCode = 2;
  }
}
