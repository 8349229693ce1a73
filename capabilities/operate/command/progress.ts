import { Presets, SingleBar } from 'cli-progress';
import type { LogProgress } from '#operator-calls/call.js';
import { CallRefused } from '#operator-calls/call-refused.js';

const linesEveryMs = 10_000;
const barSteps = 1_000;

/**
 * Shows the progress of a walk through the log on standard error: a bar on a terminal, elsewhere a line now and
 * then.
 */
export class ProgressDisplay implements Disposable {
  private readonly bar: SingleBar | undefined;
  private phase: string | undefined;
  private phaseBegan = 0;
  private lastLine = 0;

  constructor(private readonly output: NodeJS.WriteStream = process.stderr) {
    if (!output.isTTY) return;
    const format = '{phase} {bar} {percentage} % | {figures}';
    this.bar = new SingleBar(
      { format, stream: output, hideCursor: true, clearOnComplete: true },
      Presets.shades_classic,
    );
  }

  show(progress: LogProgress): void {
    const now = performance.now();
    if (progress.phase !== this.phase) this.begin(progress.phase, now);
    const share = shareOf(progress);
    const figures = figuresOf(progress, share, (now - this.phaseBegan) / 1000);
    if (this.bar) this.bar.update(Math.round(share * barSteps), { phase: progress.phase, figures });
    else if (now - this.lastLine >= linesEveryMs) {
      this.lastLine = now;
      this.output.write(`${progress.phase}: ${Math.floor(share * 100)} %, ${figures}\n`);
    }
  }

  [Symbol.dispose](): void {
    this.bar?.stop();
  }

  private begin(phase: string, now: number): void {
    this.phase = phase;
    // A phase that ends before its first line is due prints none.
    this.phaseBegan = this.lastLine = now;
    this.bar?.start(barSteps, 0, { phase, figures: '' });
  }
}

/**
 * Runs long work with its progress on display. Ctrl-C and SIGTERM end it in order.
 * @param stopped the message for the operator in that case
 */
export async function withProgress<T>(
  stopped: string,
  work: (signal: AbortSignal, onProgress: (progress: LogProgress) => void) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new CallRefused(stopped));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  using display = new ProgressDisplay();
  try {
    return await work(stopping.signal, (progress) => display.show(progress));
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

/**
 * The share of the positions that were read. In some stores positions have gaps, so it is an estimate except at
 * both ends.
 */
export function shareOf({ position, from, through }: LogProgress): number {
  if (position >= through) return 1;
  return position <= from ? 0 : Number(position - from) / Number(through - from);
}

export function figuresOf({ events }: Pick<LogProgress, 'events'>, share: number, seconds: number): string {
  const perSecond = events !== undefined && seconds > 0 ? Math.round(events / seconds) : 0;
  const rate = events === undefined ? [] : [`${events} events`, `${perSecond} a second`];
  const left = share > 0 ? [`${duration((seconds * (1 - share)) / share)} left`] : [];
  return [...rate, ...left].join(', ');
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
