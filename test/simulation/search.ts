import fc from 'fast-check';
import { describeAction, scenarios, type Step } from './actions.js';
import { wiringOf } from './planted-bugs.js';
import { simulate, type SimulationResult } from './simulation.js';

export interface SearchOptions {
  readonly first: number;
  readonly seeds: number;
  /** The end of an earlier run's shrinking: only that scenario runs. */
  readonly path?: string | undefined;
  readonly bug?: string | undefined;
  /** False: a find is returned without shrinking, which is much quicker. Default true. */
  readonly shrinks?: boolean;
  /** Gets the figures of each run that held. */
  readonly onRun?: (result: Pick<SimulationResult, 'turns' | 'events'>) => void;
  /** Gets the trace of every run. */
  readonly onTrace?: (trace: readonly string[]) => void;
}

export interface Find {
  readonly seed: number;
  readonly path: string;
  readonly violation: string;
  readonly steps: readonly Step[];
}

/**
 * Shrinking repeats the run many times, and some finds have thousands of smaller forms. After this time the
 * smallest so far is reported.
 */
const shrinksWithinMs = 120_000;

/** Every other installation has a store that can append to several streams at once. */
const isTogether = (seed: number) => seed % 2 === 1;

/**
 * Runs one scenario for each seed until one breaks a rule; that one is shrunk and reported with its trace.
 * @returns undefined when everything held
 */
export async function search(options: SearchOptions, say: (line: string) => void): Promise<Find | undefined> {
  for (let seed = options.first; seed < options.first + options.seeds; seed++) {
    const find = await tryOne(seed, options);
    if (!find) continue;
    await tell(find, options, say);
    return find;
  }
  return undefined;
}

/** Runs the scenario of one seed; if it breaks a rule, it is shrunk. */
async function tryOne(
  seed: number,
  { path, bug, shrinks = true, onRun, onTrace }: SearchOptions,
): Promise<Find | undefined> {
  const wiring = wiringOf(bug);
  let running: ReturnType<typeof simulate> | undefined;
  let drawn: readonly Step[] = [];
  const property = fc.asyncProperty(scenarios, async (steps) => {
    drawn = steps;
    running = simulate(steps, { wiring, traced: onTrace !== undefined, together: isTogether(seed) });
    const result = await running;
    if (result.violation === undefined) onRun?.(result);
    onTrace?.(result.trace);
    if (result.violation !== undefined) throw new Error(result.violation);
  });
  const replay = path === undefined ? {} : { path };
  const details = await fc.check(property, {
    seed,
    numRuns: 1,
    unbiased: true,
    endOnFailure: !shrinks,
    interruptAfterTimeLimit: shrinksWithinMs,
    markInterruptAsFailure: true,
    ...replay,
  });
  // Shrinking that takes too long stops in the middle of a run; two runs at once would draw each other's ids.
  const last = await running;
  if (!details.failed) return undefined;
  if (details.counterexample === null) {
    // A busy machine can reach the limit in the first run, before there is anything to shrink.
    const violation = last?.violation;
    return violation === undefined ? undefined : { seed, path: '', violation, steps: drawn };
  }
  const [steps] = details.counterexample;
  const error = details.errorInstance;
  const violation = error instanceof Error ? error.message : String(error);
  return { seed, path: details.counterexamplePath ?? '', violation, steps: steps ?? [] };
}

async function tell(find: Find, { bug }: SearchOptions, say: (line: string) => void): Promise<void> {
  const { seed, path, violation, steps } = find;
  const again = await simulate(steps, { wiring: wiringOf(bug), traced: true, together: isTogether(seed) });
  for (const line of again.trace) say(line);
  say('');
  say(`Broken: ${violation}`);
  if (again.violation !== violation) say(`NOT repeated exactly: this time ${again.violation ?? 'all held'}`);
  say(`after ${steps.length} steps:`);
  for (const { action, turns } of steps) say(`  ${describeAction(action)}, then ${turns} turns`);
  const more = bug === undefined ? '' : ` --bug ${bug}`;
  say(`To repeat it: npm run simulate -- --seed ${seed} --path ${path}${more}`);
}
