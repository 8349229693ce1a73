import type { Queries } from './data-source.js';

/** PostgreSQL for short statements that name their schema, on connections that the process has anyway. */
export abstract class Database implements Queries {
  abstract query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}
