import { appendFileSync } from 'node:fs';

/**
 * The fault at one point:
 * - `before`: the process dies before the call goes out.
 * - `after`: it dies when the call has ended, before the caller sees it.
 * - `lost-answer`: an append is committed, its connection breaks before the answer arrives, and the process
 *   lives on.
 */
export type CrashMode = 'before' | 'after' | 'lost-answer';

export interface Order {
  /** The file that lists each passed point, one a line. Absent: nothing is listed. */
  readonly notes?: string;
  /** Absent: no process dies. */
  readonly crash?: { readonly point: string; readonly mode: CrashMode; readonly occurrence: number };
}

/** The faults that one call has in store for its caller. */
interface Passage {
  readonly die: boolean;
  readonly loseAnswer: boolean;
}

/**
 * Notes which points this process passes, and kills the process at the point that the order names. The process
 * sends itself SIGKILL: the kernel ends it within the call, so nothing is flushed, answered or cleaned up.
 */
export class Recorder {
  private order: Order | undefined;
  private seen = 0;

  constructor(readonly role: string) {}

  follow(order: Order): void {
    this.order = order;
    this.seen = 0;
  }

  /** @param certain false for calls that mostly return nothing: they count only if they return something */
  enter(points: readonly string[], certain = true): Passage {
    if (certain) this.note('hit', points);
    const crash = this.order?.crash;
    if (!crash || !points.includes(crash.point)) return { die: false, loseAnswer: false };
    // Such a call may be under way before the order comes, so it is counted when it returns.
    if (!certain && crash.mode === 'after') return { die: false, loseAnswer: false };
    this.seen += 1;
    if (this.seen !== crash.occurrence) return { die: false, loseAnswer: false };
    if (crash.mode === 'before') this.die(crash.point, crash.mode);
    return { die: crash.mode === 'after', loseAnswer: crash.mode === 'lost-answer' };
  }

  leave(points: readonly string[], passage: Passage, certain = true): void {
    if (!certain) this.note('hit', points);
    const crash = this.order?.crash;
    if (!crash) return;
    const comes = !certain && crash.mode === 'after' && points.includes(crash.point);
    if (passage.die || (comes && ++this.seen === crash.occurrence)) this.die(crash.point, crash.mode);
  }

  /** The pass at which the crash was due does not count. If other passes came since, the run is tried again. */
  takeBack(): void {
    if (this.seen === this.order?.crash?.occurrence) this.seen -= 1;
  }

  /** One awaited call at one or more points. */
  async through<Result>(
    points: readonly string[],
    call: (passage: Passage) => Promise<Result>,
    brings?: (result: Result) => boolean,
  ): Promise<Result> {
    const passage = this.enter(points, brings === undefined);
    let result: Result;
    try {
      result = await call(passage);
    } catch (error) {
      if (brings === undefined) this.leave(points, passage);
      throw error;
    }
    if (brings === undefined || brings(result)) this.leave(points, passage, brings === undefined);
    return result;
  }

  private die(point: string, mode: CrashMode): never {
    this.note(`killed ${mode}`, [point]);
    process.kill(process.pid, 'SIGKILL');
    throw new Error('a process that has killed itself goes on');
  }

  note(what: string, points: readonly string[]): void {
    const file = this.order?.notes;
    if (file === undefined || points.length === 0) return;
    appendFileSync(file, points.map((point) => `${what}\t${point}\n`).join(''));
  }
}

/** These files call on behalf of their own caller. */
const goBetweens = new Set([
  'aggregate',
  'batch-grouping',
  'stream-command.handler',
  'store-picture.handler',
]);

/**
 * The name, without folder and ending, of the file that awaits the current call: a file of the application or
 * of its adapters. Several files call the same port, and a crash in each of them means something else.
 * `unknown` if none of these files is on the stack.
 */
export function callSite(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const { stack = '' } = new Error('where');
  Error.stackTraceLimit = limit;
  for (const line of stack.split('\n')) {
    const file =
      /\/dist\/(?:libs\/(?:application|adapters)\/src|libs\/read-store\/src(?=\/stream-continuity)|apps|capabilities)\/(?:[^\s:]+\/)?([\w.-]+)\.js:\d+/.exec(
        line,
      )?.[1];
    if (file !== undefined && !goBetweens.has(file)) return file;
  }
  return 'unknown';
}
