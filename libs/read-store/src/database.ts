import type { Queries } from './data-source.js';

/** Runs short statements that name their schema, on connections that the process already has. */
export abstract class Database implements Queries {
  abstract query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}
