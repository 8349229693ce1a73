/**
 * What this process does without at the moment, and goes on all the same. Its sign of life tells operators, because they
 * look at the installation from another process. A sentence for each subject; the newest one counts.
 */
export class Troubles {
  private readonly all = new Map<string, string>();

  /** @param sentence for operators; undefined: all is well again */
  tell(subject: string, sentence: string | undefined): void {
    if (sentence === undefined) this.all.delete(subject);
    else this.all.set(subject, sentence);
  }

  get current(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.all);
  }
}
