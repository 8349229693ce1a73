import { Presets, SingleBar } from 'cli-progress';
import { say } from '../console.js';

export interface Progress {
  /** One more thing has happened. */
  step(line: string): void;
  /** Takes the bar away, whatever it shows; the lines stay. */
  [Symbol.dispose](): void;
}

/** On a terminal a bar with the lines above it, elsewhere the lines alone. */
export function showProgress(activity: string, expectedSteps: number): Progress {
  return process.stdout.isTTY ? new Bar(activity, expectedSteps) : new Lines();
}

class Lines implements Progress {
  step(line: string): void {
    say(line);
  }

  [Symbol.dispose](): void {}
}

class Bar implements Progress {
  readonly #bar: SingleBar;

  constructor(activity: string, expectedSteps: number) {
    const format = `${activity} {bar} {duration_formatted}`;
    const { stdout: stream } = process;
    // Redrawn although nothing changed, because each step moves the bar one line down.
    const options = { format, stream, hideCursor: true, clearOnComplete: true, forceRedraw: true };
    this.#bar = new SingleBar(options, Presets.shades_classic);
    this.#bar.start(expectedSteps, 0);
  }

  step(line: string): void {
    process.stdout.cursorTo(0);
    process.stdout.clearLine(0);
    say(line);
    // How many stages there are is the engine's affair: the bar keeps a rest for what is still to come.
    if (this.#bar.getProgress() < 0.9) this.#bar.increment();
  }

  [Symbol.dispose](): void {
    this.#bar.stop();
  }
}
