export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** One page and how many rows there are in all. */
export interface Page<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}
