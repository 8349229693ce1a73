import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { largestNumber, npmRun, oneOf, wholeNumber } from '../support/npm-run.js';
import { bugs } from './planted-bugs.js';
import { search, type SearchOptions } from './search.js';

/** The number of seeds that a thread runs before it requests more. */
const portionSeeds = 25;
/** Then another thread takes over: a process that was killed in a run never stops listening, so a thread grows. */
const portionsOfAThread = 40;
const progressMs = 5_000;

/** The work that a thread has done. Each seed is a run of its own, so any thread may take it. */
interface Report {
  readonly seeds: number;
  readonly turns: number;
  readonly events: number;
  /** The lines that describe a find; undefined: everything held. */
  readonly find: readonly string[] | undefined;
}

// oxlint-disable unicorn/require-post-message-target-origin -- That is for windows; these are threads.
if (isMainThread) await main();
else parentPort!.on('message', (portion: SearchOptions) => void answer(portion));

/** A defect ends the thread, which the main thread reports. */
async function answer(portion: SearchOptions): Promise<void> {
  parentPort!.postMessage(await run(portion));
}

async function run(portion: SearchOptions): Promise<Report> {
  let [seeds, turns, events] = [0, 0, 0];
  const onRun = (result: { turns: number; events: number }) => {
    seeds += 1;
    turns += result.turns;
    events += result.events;
  };
  const told: string[] = [];
  const find = await search({ ...portion, onRun }, (line) => void told.push(line));
  return { seeds, turns, events, find: find && told };
}

async function main(): Promise<void> {
  const { seeds, from, seed, path, bug, threads } = optionsOf(process.argv);
  const count = seed === undefined ? seeds : 1;
  const first = seed ?? from ?? randomInt(1, largestNumber - count);
  if (seed === undefined) console.log(`Seeds ${first} to ${first + count - 1}`);
  const portions = (function* () {
    for (let done = 0; done < count; done += portionSeeds)
      yield { first: first + done, seeds: Math.min(portionSeeds, count - done), path, bug };
  })();
  const find = await searchIn(Math.min(threads, Math.ceil(count / portionSeeds)), portions, count);
  for (const line of find ?? ['Everything held.']) console.log(line);
  process.exitCode = find ? 1 : 0;
}

/** Hands out portions until one of them has a find, or all are done. */
async function searchIn(threads: number, portions: Iterator<SearchOptions>, count: number) {
  const startedAt = performance.now();
  let toldAt = startedAt;
  let [seeds, turns, events] = [0, 0, 0];
  const add = (report: Report) => {
    seeds += report.seeds;
    turns += report.turns;
    events += report.events;
    const now = performance.now();
    if (now - toldAt < progressMs && seeds < count) return;
    toldAt = now;
    const perSecond = (done: number) => Math.round((done * 1000) / (now - startedAt));
    console.log(
      `${seeds} of ${count} seeds, ${perSecond(seeds)}/s; ${turns} turns, ${perSecond(turns)}/s; ${events} events`,
    );
  };
  const running = new Set<Worker>();
  const found = Promise.withResolvers<readonly string[]>();
  const work = async (): Promise<void> => {
    for (;;) {
      const worker = new Worker(new URL(import.meta.url));
      running.add(worker);
      for (let nth = 0; nth < portionsOfAThread; nth++) {
        const { value, done } = portions.next();
        if (done) return;
        worker.postMessage(value);
        // Rejects if the thread ends with an error.
        const [report] = (await once(worker, 'message')) as [Report];
        if (report.find) return found.resolve(report.find);
        add(report);
      }
      running.delete(worker);
      await worker.terminate();
    }
  };
  try {
    return await Promise.race([
      found.promise,
      Promise.all(Array.from({ length: threads }, work)).then(() => undefined),
    ]);
  } finally {
    await Promise.all([...running].map((worker) => worker.terminate()));
  }
}

function optionsOf(argv: readonly string[]) {
  return npmRun(
    'simulate',
    'Runs a scenario for each seed, and shrinks the first that breaks something (docs/simulation.md).',
  )
    .option('--seeds <number>', 'how many seeds', wholeNumber, 1000)
    .option('--from <seed>', 'the first of them (default: drawn, and told)', wholeNumber)
    .option('--seed <seed>', 'only this one', wholeNumber)
    .option('--path <path>', 'with --seed: only the form of it that an earlier find was shrunk to')
    .option('--bug <name>', 'plant this bug', oneOf(Object.keys(bugs), 'bug'))
    .option('--threads <number>', 'how many at the same time', wholeNumber, availableParallelism())
    .parse(argv)
    .opts<{
      seeds: number;
      from?: number;
      seed?: number;
      path?: string;
      bug?: string;
      threads: number;
    }>();
}
