/** How a column is compared: times in milliseconds, JSON whatever the order of its members. */
export type ColumnKind = 'text' | 'integer' | 'time' | 'json';

export type Cell = string | number | boolean | null | object;

/** The columns of a read model. The first ones, as many as `keyColumns`, are its primary key. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly keyColumns: number;
}

export type Key = readonly [string] | readonly [string, number];

/** A row that does not exist and is not to be made: nobody asks for it. */
export const none = -1;

/**
 * The rows that a read model must have. There are two of them: one keeps 4 bytes a cell, for all rows; the other keeps
 * the cells themselves, for the few rows that turned out to be wrong. The models below write to either.
 */
export interface RowStore {
  /** The number of a row that exists, or {@link none}. */
  find(key: Key): number;
  /** The number of a row, which exists from now on; {@link none}: nobody asks for it. */
  open(key: Key): number;
  remove(row: number): void;
  write(row: number, cells: Readonly<Record<string, Cell>>): void;
  /** Numbers that a model needs to go on, beside the cells. They begin as 0. */
  get(row: number, slot: number): number;
  put(row: number, slot: number, value: number): void;
}
