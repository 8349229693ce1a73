import Table from 'cli-table3';

export type TableCell = string | number | bigint | boolean | null | undefined;

/** JSON in which a bigint is a string of digits, because it may exceed the exact range of a JSON number. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one), indent);
}

export function printJson(value: unknown): void {
  printLine(toJson(value, 2));
}

export function printLine(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function printProperties(properties: readonly (readonly [name: string, value: TableCell])[]): void {
  const table = new Table({ style, chars });
  table.push(...properties.map(([name, value]) => [name, show(value)]));
  printLine(table.toString());
}

export function printTable<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => TableCell>>,
): void {
  const table = new Table({ head: Object.keys(columns), style, chars });
  table.push(...rows.map((row) => Object.values(columns).map((cell) => show(cell(row)))));
  printLine(table.toString());
}

function show(value: TableCell): string {
  return value === null || value === undefined ? '–' : String(value);
}

const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 2, compact: true };

/** Columns without frames: readable at any width, and easy to copy. */
const chars = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);
