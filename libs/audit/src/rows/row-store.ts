import { hashKey, type KeyHash } from '../memory/hash.js';

/** How a column is compared: times in milliseconds, JSON whatever the order of its members. */
export type ColumnKind = 'text' | 'integer' | 'time' | 'json';

export type RowCell = string | number | boolean | null | object;

/** The values of a row's primary key: a text, and in some tables a number after it. */
export type RowKey = readonly (string | number)[];

/** The row does not exist, or is none of those that are asked for. */
export const none = -1;

/**
 * The rows that a read model must have. There are two of them: one keeps 4 bytes a cell, for all rows; the other keeps
 * the cells themselves, for the few rows that turned out to be wrong. Models and folds write to either.
 */
export interface RowStore {
  /** Whether this row is asked for. */
  wants(key: RowKey): boolean;
  /** The number of a row that exists, or {@link none}. */
  find(key: RowKey): number;
  /** The number of a row, which exists from now on; {@link none}: it is not asked for. */
  open(key: RowKey): number;
  remove(row: number): void;
  write(row: number, cells: Readonly<Record<string, RowCell>>): void;
  writeCell(row: number, column: string, cell: RowCell): void;
  /** Numbers that a model needs to go on, beside the cells. They begin as 0. */
  get(row: number, slot: number): number;
  put(row: number, slot: number, value: number): void;
}

export function hashOfRowKey([text, number = 0]: RowKey): KeyHash {
  return hashKey(String(text), Number(number));
}

/** A hash as the key of a map. */
export function hashText({ high, low }: KeyHash): string {
  return `${high}.${low}`;
}
