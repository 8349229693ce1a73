import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { isDiskFull } from '#platform/errors.js';

const rotateAboveBytes = 10 * 1024 * 1024;
const lookEveryMs = 500;
const chunkBytes = 64 * 1024;

/** pino's levels: 50 is error, 60 fatal. */
const errorLevel = 50;

/**
 * The log file of one role. The role writes to it directly and not through a pipe, so that it goes on logging
 * when this process is killed. This process reads along to show errors. It also limits the size of the file,
 * and keeps one predecessor, `.1`.
 */
export class RoleLog {
  private readonly timer: NodeJS.Timeout;
  private offset: number;
  private rest = '';
  /** The line since {@link begin} that best explains why a role failed to start. */
  private complaint: string | undefined;

  constructor(
    readonly path: string,
    private readonly onError: (message: string) => void,
  ) {
    if (existsSync(path) && statSync(path).size > rotateAboveBytes) renameSync(path, `${path}.1`);
    closeSync(openSync(path, 'a', 0o600));
    this.offset = statSync(path).size;
    this.timer = setInterval(() => this.look(), lookEveryMs).unref();
  }

  /** A descriptor for a new process to append to. */
  open(): number {
    this.complaint = undefined;
    return openSync(this.path, 'a', 0o600);
  }

  /** The role's last complaint, in one line; undefined if there was none. */
  lastComplaint(): string | undefined {
    this.look();
    return this.complaint;
  }

  close(): void {
    clearInterval(this.timer);
    this.look();
  }

  private look(): void {
    const lines = (this.rest + this.readNew()).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const complaint = complaintIn(line);
      if (complaint === undefined) continue;
      this.complaint = complaint.text;
      if (complaint.logged) this.onError(complaint.text);
    }
    if (this.offset > rotateAboveBytes) this.rotate();
  }

  private readNew(): string {
    // An operator may have deleted the file. The writer then still writes to its open file.
    const size = statSync(this.path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return '';
    if (size < this.offset) this.offset = 0;
    if (size === this.offset) return '';
    const file = openSync(this.path, 'r');
    try {
      const chunks: Buffer[] = [];
      for (;;) {
        const chunk = Buffer.alloc(chunkBytes);
        const read = readSync(file, chunk, 0, chunkBytes, this.offset);
        if (read === 0) return Buffer.concat(chunks).toString('utf8');
        chunks.push(chunk.subarray(0, read));
        this.offset += read;
      }
    } finally {
      closeSync(file);
    }
  }

  /**
   * The writer keeps its descriptor, which appends. A line that is written between copy and truncation is lost,
   * which is acceptable for a log.
   */
  private rotate(): void {
    try {
      copyFileSync(this.path, `${this.path}.1`);
    } catch (error) {
      // If there is no room for a copy, the log is truncated all the same, which makes room.
      if (!isDiskFull(error)) throw error;
    }
    truncateSync(this.path);
    this.offset = 0;
  }
}

/** When an error ends a Node process, these lines surround the important one: source, stack, properties. */
const traceOrNoise = /^(?:\s|$|[}\]^]|file:|node:|Node\.js v|\(node:|\(Use )/;

/** `logged`: an error of a running role. Otherwise the text is raw output of a process that is ending. */
function complaintIn(line: string): { text: string; logged: boolean } | undefined {
  if (line.startsWith('{')) {
    try {
      // Lines that begin so are pino's, of our own roles.
      const { level, msg, err } = JSON.parse(line) as {
        level?: number;
        msg?: string;
        err?: { message?: string };
      };
      if (level === undefined || level < errorLevel) return undefined;
      const parts = [msg, err?.message].filter((part) => part !== undefined && part !== '');
      return { text: [...new Set(parts)].join(': ').split('\n')[0] ?? '', logged: true };
    } catch {
      return undefined;
    }
  }
  return traceOrNoise.test(line) ? undefined : { text: line, logged: false };
}

const windowMs = 15_000;

/**
 * A role in trouble may log hundreds of errors in a second, and its log keeps them all. The terminal shows the
 * first one at once, and later one line with the number of further errors.
 */
export class ErrorSummary {
  private timer: NodeJS.Timeout | undefined;
  private more = 0;
  private latest = '';

  constructor(
    private readonly role: string,
    private readonly logPath: string,
    private readonly warn: (line: string) => void,
  ) {}

  add(message: string): void {
    if (this.timer) {
      this.more += 1;
      this.latest = message;
      return;
    }
    this.warn(`${this.role}: ${message} (${this.logPath})`);
    this.timer = setTimeout(() => this.flush(), windowMs).unref();
  }

  /** Shows the collected errors in one line. The next error is shown at once again. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.more === 0) return;
    const many = this.more === 1 ? 'one more error' : `${this.more} more errors, the last`;
    this.warn(`${this.role}: ${many}: ${this.latest} (${this.logPath})`);
    this.more = 0;
  }
}
