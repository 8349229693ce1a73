import { Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { Database } from '#read-store/database.js';

export interface Tally {
  readonly workflow: string;
  readonly jobs: number;
}

@Injectable()
export class TallyReader {
  constructor(private readonly database: Database) {}

  /** The most ordered workflow first. */
  async of(environment: Environment, tenant: string): Promise<readonly Tally[]> {
    const statement = `select workflow, jobs from ${environment}.tally where tenant = $1 order by jobs desc, workflow`;
    const { rows } = await this.database.query(statement, [tenant]);
    // The statement names the columns of its rows.
    return rows as Tally[];
  }
}
