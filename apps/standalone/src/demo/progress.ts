import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import { say } from '../console.js';

export interface Progress {
  /** One more thing has happened. */
  step(line: string): void;
  /** No more will; the bar, where there is one, is full. */
  done(): void;
  /** Takes the bar away, whatever it shows. */
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

  done(): void {}

  [Symbol.dispose](): void {}
}

class Bar implements Progress {
  readonly #bars: MultiBar;
  readonly #bar: SingleBar;

  constructor(activity: string, expectedSteps: number) {
    const format = `${activity} {bar} {duration_formatted}`;
    this.#bars = new MultiBar({ format, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
    this.#bar = this.#bars.create(expectedSteps, 0);
  }

  step(line: string): void {
    this.#bars.log(`${line}\n`);
    // How many stages there are is the engine's affair: the bar keeps a rest for what is still to come.
    if (this.#bar.getProgress() < 0.9) this.#bar.increment();
  }

  done(): void {
    this.#bar.update(this.#bar.getTotal());
  }

  [Symbol.dispose](): void {
    this.#bars.stop();
  }
}
