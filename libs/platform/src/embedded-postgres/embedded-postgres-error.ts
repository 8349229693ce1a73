/** Why the embedded database cannot run, as one line that an operator can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/**
 * The line of a program's output that names the cause: the first one that PostgreSQL marked as an error (later ones
 * are consequences), with the hint that follows it, or else the very last. Time and process number in front of it are left out.
 */
export function causeIn(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const at = lines.findIndex((line) => /FATAL|PANIC|error:/.test(line));
  const hint = lines[at + 1]?.includes('HINT:') ? lines[at + 1] : undefined;
  const cause = at < 0 ? lines.at(-1) : lines[at];
  return (
    [cause, hint]
      .flatMap((line) => line?.replace(/^[\d-]+ [\d:.]+ UTC \[\d+\] /, '').trim() ?? [])
      .join(' ') || undefined
  );
}
