import Table from 'cli-table3';

export type Cell = string | number | bigint | boolean | null | undefined;

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, plainBigint, 2)}\n`);
}

/** One line a value, for streams of them. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, plainBigint)}\n`);
}

export function printLine(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** A thing and its properties, one a line. */
export function printProperties(properties: readonly (readonly [name: string, value: Cell])[]): void {
  const table = new Table({ style, chars });
  table.push(...properties.map(([name, value]) => [name, show(value)]));
  printLine(table.toString());
}

export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const table = new Table({ head: [...head], style, chars });
  table.push(...rows.map((row) => row.map(show)));
  printLine(table.toString());
}

/** Whatever cannot be said in JSON's numbers exactly is said in digits. */
function plainBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function show(value: Cell): string {
  return value === null || value === undefined ? '–' : String(value);
}

const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 2, compact: true };

/** Columns only, no frames: readable at any width, and easy to copy from. */
const chars = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);
