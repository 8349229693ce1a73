import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { Command, InvalidArgumentError } from 'commander';
import { compilerFor } from './compiler.mjs';
import { mutantsOf } from './mutants.mjs';
import { specsByFile } from './specs.mjs';

/*
 * Changes one place of the production code at a time, in a copy of the work tree, and checks whether a spec fails.
 * Stryker compiles all mutants into one build and measures coverage in a run of the whole suite. It cannot be used
 * here: specs start processes from `dist`, which Stryker does not reach, and the whole suite takes too long.
 */
const root = process.cwd();
const mutated =
  /^(?:(?:libs\/(?:domain|application|event-store|read-store|audit)|projections)\/src|capabilities)\//;
const notProduction = /spec\.ts$|fixture|\/test(?:ing)?\/|\/conformance\/|\/migrations\//;
/** How many of the nearest specs of each kind are tried: if all of these pass, the change counts as unnoticed. */
const mostSpecs = { pure: 12, stored: 8, whole: 4 };
const options = read();
const files = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' }).trim().split('\n');
const specsOf = specsByFile(root, files);
const equivalent = JSON.parse(readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8'));
/** An entry without a place stands for each such change of the line. */
const reasonOf = ({ file, code, operator, place }) =>
  equivalent.find(
    (each) =>
      each.file === file &&
      each.code === code &&
      each.operator === operator &&
      (each.place ?? place) === place,
  )?.reason;

const chosen = choose();
console.log(`Seed ${options.seed}: ${chosen.length} mutants`);
const compile = compilerFor(root);
const results = [];
const waiting = [...chosen];
await Promise.all(Array.from({ length: options.workers }, work));
const count = (result) => results.filter((each) => each === result).length;
const judged = count('killed') + count('survived');
const share = judged === 0 ? 1 : count('killed') / judged;
console.log(
  `${results.length} mutants: ${count('refused')} refused by the compiler or the rules for promises, ${count('equivalent')} known to be equivalent` +
    (options.list
      ? ''
      : `; of ${judged} others ${count('killed')} killed, ${count('survived')} survived: ${(share * 100).toFixed(1)} % killed`),
);
process.exitCode = share < 0.95 ? 1 : 0;

/** One copy of the tree, and one mutant after the other in it. */
async function work() {
  const copy = mkdtempSync(join(tmpdir(), 'atelier-mutants-'));
  try {
    const kept = (source) => !/\/(?:node_modules|\.git|\.atelier)$/.test(source);
    cpSync(root, copy, { recursive: true, filter: kept });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const { result, by } = await judge(copy, mutant);
      results.push(result);
      const { file, line, operator, code } = mutant;
      console.log(`${result}${by ? ` (${by})` : ''}: ${file}:${line} ${operator}: ${code}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function judge(copy, mutant) {
  const reason = reasonOf(mutant);
  if (reason) return { result: 'equivalent', by: reason };
  const source = readFileSync(join(root, mutant.file), 'utf8');
  const text = source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end);
  const refusal = refusalOf(copy, mutant, source, text);
  if (refusal) return { result: 'refused', by: refusal };
  if (options.list) return { result: 'drawn' };
  const put = (text) => {
    writeFileSync(join(copy, mutant.file), text);
    const { code } = transformSync(text, { filename: join(copy, mutant.file), cwd: copy });
    mkdirSync(join(copy, 'dist', mutant.file, '..'), { recursive: true });
    writeFileSync(join(copy, 'dist', mutant.file.replace(/ts$/, 'js')), code);
  };
  const specs = specsOf(mutant.file);
  try {
    put(text);
    for (const [kind, most] of Object.entries(mostSpecs)) {
      const tried = specs[kind].slice(0, most);
      const noticed = tried.length > 0 && (await run(copy, tried));
      if (noticed) return { result: 'killed', by: noticed };
    }
    return { result: 'survived' };
  } finally {
    put(source);
  }
}

/** @returns the complaint of `npm run check`, if any: no spec has to notice such a change */
function refusalOf(copy, { file, operator }, source, text) {
  const said = compile(file, text);
  if (said || operator !== 'not awaited') return said;
  const rules = ['no-floating-promises', 'no-misused-promises', 'return-await', 'await-thenable'];
  const denied = rules.flatMap((rule) => ['-D', `typescript/${rule}`]);
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  try {
    writeFileSync(join(copy, file), text);
    const args = [oxlint, '--type-aware', '-A', 'all', ...denied, '--format=unix', file];
    const { status, stdout, error } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
    if (error) throw error;
    return status === 0 ? undefined : stdout.split('\n')[0];
  } finally {
    writeFileSync(join(copy, file), source);
  }
}

/** @returns what failed, or undefined */
function run(cwd, specs) {
  return new Promise((resolve, reject) => {
    const report = join(cwd, 'mutant.json');
    rmSync(report, { force: true });
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const bounds = ['--bail=1', '--maxWorkers=1', '--testTimeout=60000', '--hookTimeout=60000'];
    const args = [vitest, 'run', ...specs, ...bounds, '--reporter=json', `--outputFile=${report}`];
    const child = spawn(process.execPath, args, { cwd, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (data) => (said += data));
    const limit = setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), options.minutes * 60_000);
    child.on('close', (code) => {
      clearTimeout(limit);
      if (code === 0) return resolve(undefined);
      if (code === null) return resolve('time limit');
      if (!existsSync(report)) return reject(new Error(`the specs did not run: ${said}`));
      const failed = JSON.parse(readFileSync(report, 'utf8')).testResults.filter(
        ({ status }) => status === 'failed',
      );
      const [first] = failed;
      const test = first?.assertionResults.find(({ status }) => status === 'failed');
      resolve(test?.fullName ?? first?.message ?? 'a failure outside of the tests');
    });
  });
}

function choose() {
  const all = files
    .filter((file) => mutated.test(file) && !notProduction.test(file) && file.includes(options.only))
    .flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')))
    .filter(({ line }) => options.line === undefined || line === options.line);
  // mulberry32, as in the simulation.
  let state = options.seed | 0;
  const below = (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
  const drawn = [];
  while (drawn.length < options.mutants && all.length > 0) drawn.push(...all.splice(below(all.length), 1));
  return drawn;
}

function read() {
  const number = (text) => {
    if (/^\d+$/.test(text)) return Number(text);
    throw new InvalidArgumentError('It is a whole number.');
  };
  return new Command('npm run mutate --')
    .description(
      'Changes the production code in one place at a time, and lists which changes no spec notices.',
    )
    .option('--seed <number>', 'decides which mutants are drawn', number, randomInt(1, 2 ** 31))
    .option('--mutants <number>', 'how many', number, 200)
    .option('--only <path>', 'only of files whose path holds this', '')
    .option('--line <number>', 'only of this line', number)
    .option('--list', 'only lists the drawn mutants, and which of them the compiler refuses')
    .option('--workers <number>', 'how many copies at the same time', number, 1)
    .option(
      '--minutes <number>',
      'longest time for the specs of a kind: a mutant that takes longer is killed',
      number,
      10,
    )
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse()
    .opts();
}
