import { execFileSync, fork, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { InvalidArgumentError } from 'commander';
import { randomFrom } from '../../dist/test/simulation/kernel/random.js';
import { npmRun } from '../../dist/test/support/npm-run.js';
import { compilerFor } from './compiler.mjs';
import { mutantsOf } from './mutants.mjs';
import { specsByFile } from './specs.mjs';

/*
 * Changes one place of the production code at a time, in a copy of the work tree, and checks whether a spec
 * fails. Stryker cannot be used here. It compiles all mutants into one build and measures coverage in a run of
 * the whole suite, but our specs start processes from `dist`, which Stryker does not reach, and the whole suite
 * takes too long.
 */
const root = process.cwd();
const mutated =
  /^(?:(?:libs\/(?:domain|application|event-store|read-store)|projections)\/src|capabilities\/(?:operate\/(?:audit|copy|rebuild)|(?!operate)[^/]+))\//;
const notProduction = /spec\.ts$|fixture|\/test(?:ing)?\/|\/migrations\//;
/**
 * How many of the nearest specs of each kind are tried. If all of them pass, the change counts as unnoticed.
 */
const mostSpecs = { pure: 5, stored: 6, whole: 2 };
const options = read();
const files = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' }).trim().split('\n');
const specsOf = specsByFile(root, files);
const equivalent = JSON.parse(readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8'));
/** An entry without a place stands for every change of this kind in the line. */
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
const results = new Map();
/**
 * `passing`: tests that passed at least once. `failing`: specs that fail without any change, and so prove
 * nothing about a mutant.
 */
const passing = new Set();
const failing = new Set();
const copies = Array.from({ length: options.workers }, copyOfTree);
try {
  for (let waiting = chosen.slice(options.from - 1); waiting.length > 0; waiting = await doubtful()) {
    const work = async (copy) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) await judgeAndTell(copy, mutant);
    };
    await Promise.all(copies.map(work));
  }
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
const count = (name) => [...results.values()].filter(({ result }) => result === name).length;
const judged = count('killed') + count('survived');
const share = judged === 0 ? 1 : count('killed') / judged;
console.log(
  `${results.size} mutants: ${count('refused')} refused by the compiler or the rules for promises, ${count('equivalent')} known to be equivalent` +
    (options.list
      ? ''
      : `; of ${judged} others ${count('killed')} killed, ${count('survived')} survived: ${(share * 100).toFixed(1)} % killed`),
);
process.exitCode = share < 0.95 ? 1 : 0;

function copyOfTree() {
  const copy = mkdtempSync(join(tmpdir(), 'atelier-mutants-'));
  const kept = (source) => !/\/(?:node_modules|\.git|\.atelier)$/.test(source);
  cpSync(root, copy, { recursive: true, filter: kept });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function judgeAndTell(copy, mutant) {
  const begun = Date.now();
  const found = await judge(copy, mutant);
  results.set(mutant, found);
  const seconds = Math.round((Date.now() - begun) / 1_000);
  const { file, line, operator, code } = mutant;
  const because = found.by ? ` (${found.by.test ?? found.by})` : '';
  const number = chosen.indexOf(mutant) + 1;
  console.log(`${number}. ${found.result}${because}, ${seconds} s: ${file}:${line} ${operator}: ${code}`);
}

/**
 * Some failed tests have never passed. Runs their specs without a change.
 * @returns the mutants that were killed only by specs that fail then as well
 */
async function doubtful() {
  const killed = [...results].filter(([, { by }]) => by?.spec && !passing.has(by.test));
  const specs = [...new Set(killed.map(([, { by }]) => by.spec))].filter((spec) => !failing.has(spec));
  const found = new Set();
  for (const spec of specs) if (await run(copies[0], [spec])) found.add(spec);
  for (const spec of found) {
    console.log(`${spec} fails without a change, and is left out`);
    failing.add(spec);
  }
  return killed.filter(([, { by }]) => found.has(by.spec)).map(([mutant]) => mutant);
}

async function judge(copy, mutant) {
  const reason = reasonOf(mutant);
  if (reason) return { result: 'equivalent', by: reason };
  const { source } = mutant;
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
    const tried = Object.entries(mostSpecs).flatMap(([kind, most]) =>
      specs[kind].filter((each) => !failing.has(each)).slice(0, most),
    );
    put(text);
    const noticed = tried.length > 0 && (await run(copy, tried));
    return noticed ? { result: 'killed', by: noticed } : { result: 'survived' };
  } finally {
    put(source);
  }
}

/** @returns the complaint of `npm run check`, if any. No spec has to notice a change that the check refuses. */
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

/**
 * Ends at the first failure, or when no test has ended for some time.
 * @returns {Promise<{ test: string, spec?: string } | undefined>} the failure
 */
function run(cwd, specs) {
  return new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, 'run-specs.mjs');
    const child = fork(script, specs, { cwd, detached: true, silent: true });
    let said = '';
    child.stderr.on('data', (data) => (said += data));
    child.stdout.resume();
    let noticed;
    let end = setTimeout(stop, options.seconds * 1_000);
    function stop() {
      noticed ??= { test: 'time limit' };
      process.kill(-Number(child.pid), 'SIGKILL');
    }
    child.on('message', ({ test, spec, failed }) => {
      clearTimeout(end);
      if (failed) noticed ??= { test, spec };
      else passing.add(test);
      end = setTimeout(stop, (noticed ? 10 : options.seconds) * 1_000);
    });
    child.on('close', (code) => {
      clearTimeout(end);
      if (noticed || code === 0) resolve(noticed);
      else reject(new Error(`the specs did not run: ${said}`));
    });
  });
}

function choose() {
  const all = files
    .filter((file) => mutated.test(file) && !notProduction.test(file) && file.includes(options.only))
    .flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')))
    .filter(({ line }) => options.line === undefined || line === options.line);
  const below = randomFrom(options.seed);
  const drawn = [];
  while (drawn.length < options.mutants && all.length > 0) drawn.push(...all.splice(below(all.length), 1));
  return drawn;
}

function read() {
  const number = (text) => {
    if (/^\d+$/.test(text)) return Number(text);
    throw new InvalidArgumentError('It is a whole number.');
  };
  return npmRun(
    'mutate',
    'Changes the production code in one place at a time, and lists which changes no spec notices.',
  )
    .option('--seed <number>', 'decides which mutants are drawn', number, randomInt(1, 2 ** 31))
    .option('--mutants <number>', 'how many', number, 200)
    .option('--from <number>', 'goes on with this one, after an interruption', number, 1)
    .option('--only <path>', 'only of files whose path holds this', '')
    .option('--line <number>', 'only of this line', number)
    .option('--list', 'only lists the drawn mutants, and which of them the compiler refuses')
    .option('--workers <number>', 'how many copies at the same time', number, 1)
    .option(
      '--seconds <number>',
      'longest time without the end of a test: a mutant that takes longer is killed',
      number,
      100,
    )
    .parse()
    .opts();
}
