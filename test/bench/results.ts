import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { quantile } from './quantiles.js';

type Cell = string | number;

/** What a bench found. Cells that are numbers have the unit that the column's head names. */
export interface ResultTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const tables: ResultTable[] = [];

/** Prints the table, and keeps it for the files of the run. */
export function tell(table: ResultTable): void {
  tables.push(table);
  const printed = new Table({ head: [...table.head] });
  printed.push(...table.rows.map((row) => [...row]));
  console.log(`\n${table.title}\n${printed.toString()}`);
}

/** Tells quantiles of durations in milliseconds, a row for each kind. */
export function tellTimes(title: string, times: Readonly<Record<string, readonly number[]>>): void {
  const rows = Object.entries(times).map(([what, values]) => [
    what,
    ...[0.5, 0.99, 1].map((share) => Number(quantile(values, share).toFixed(1))),
  ]);
  tell({ title, head: ['from, to', 'p50 ms', 'p99 ms', 'max ms'], rows });
}

/** Writes all tables so far as results.json and results.md, with the machine that they are from. */
export function saveResults(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const machine = describeMachine();
  const figures = tables.map((table) => ({ ...table, rows: table.rows.map((row) => row.map(numberIn)) }));
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify({ machine, tables: figures }, null, 2)}\n`);
  const lines = Object.entries(machine).map(([what, value]) => `- ${what}: ${value}`);
  const text = ['# Results', '', ...lines, ...tables.flatMap((table) => ['', ...markdownOf(table)]), ''];
  writeFileSync(join(folder, 'results.md'), text.join('\n'));
}

const numberIn = (cell: Cell): Cell => (/^-?\d+(\.\d+)?$/.test(String(cell)) ? Number(cell) : cell);

const markdownOf = ({ title, head, rows }: ResultTable) => [
  `## ${title}`,
  '',
  ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
];

function describeMachine(): Record<string, Cell> {
  const [first] = cpus();
  return {
    measured_at: new Date().toISOString(),
    cores: cpus().length,
    processor: first?.model.trim() ?? 'unknown',
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()} ${release()}`,
    node: process.version,
    commit: commit(),
  };
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
