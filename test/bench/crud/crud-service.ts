import 'reflect-metadata';
import { createHash } from 'node:crypto';
import {
  Body,
  CanActivate,
  Controller,
  ExecutionContext,
  HttpCode,
  HttpException,
  Inject,
  Injectable,
  Module,
  Post,
  Req,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import pg from 'pg';
import { newId } from '#platform/ids.js';

/*
 * The peer that Atelier is measured against: the service that a competent team would write in a week, tuned
 * where that costs nothing. It has the same framework, the same PostgreSQL and the same promise at the 202: the
 * debit, the job, its ledger line and its usage row are committed. It uses `pg` with a pool and prepared
 * statements, keys cached in memory, and one transaction that locks the account's row. It has no ORM, no read
 * of the key, and no select before the update.
 */

const schema = `
  create table accounts (id text primary key, key_hash text not null unique, balance bigint not null);
  create table jobs (id text primary key, account_id text not null, job_type text not null, status text not null,
    request jsonb not null, created_at timestamptz not null);
  create index on jobs (account_id, created_at desc);
  create table ledger (id text primary key, account_id text not null, job_id text not null,
    credits_delta integer not null, created_at timestamptz not null);
  create index on ledger (account_id, created_at desc);
  create table usage (request_id text primary key, account_id text not null, endpoint text not null,
    status text not null, credits_charged integer not null, created_at timestamptz not null);
  create index on usage (account_id, created_at desc)`;

const statements = {
  debit: 'update accounts set balance = balance - $2 where id = $1 and balance >= $2',
  job: `insert into jobs values ($1, $2, 'MODEL_GENERATOR', 'NOT_STARTED', $3, $4)`,
  ledger: 'insert into ledger values ($1, $2, $3, $4, $5)',
  usage: `insert into usage values ($1, $2, '/v1/model-generator', 'PENDING', $3, $4)`,
};
const cost = 5;

class ModelGeneratorBody {
  @IsOptional() @IsIn(['MALE', 'FEMALE']) gender?: string;
  @IsOptional() @IsInt() @Min(0) @Max(2 ** 31 - 1) seed?: number;
}

interface KnownRequest {
  headers: Record<string, string | undefined>;
  accountId: string;
}

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');

@Injectable()
class KeyGuard implements CanActivate {
  private readonly accounts = new Map<string, string>();

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<KnownRequest>();
    const hash = hashOf(request.headers['authorization']?.replace('Bearer ', '') ?? '');
    request.accountId = this.accounts.get(hash) ?? (await this.find(hash));
    return true;
  }

  private async find(hash: string): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>('select id from accounts where key_hash = $1', [
      hash,
    ]);
    if (!rows[0]) throw new UnauthorizedException();
    this.accounts.set(hash, rows[0].id);
    return rows[0].id;
  }
}

@Controller('v1')
@UseGuards(KeyGuard)
class DispatchController {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  @Post('model-generator')
  @HttpCode(202)
  async dispatch(@Req() { accountId }: KnownRequest, @Body() body: ModelGeneratorBody) {
    const [requestId, jobId, at] = [newId(), newId(), new Date()];
    const client = await this.pool.connect();
    const run = (name: keyof typeof statements, values: unknown[]) =>
      client.query({ name, text: statements[name], values });
    try {
      await client.query('begin');
      const { rowCount } = await run('debit', [accountId, cost]);
      if (rowCount !== 1) throw new HttpException('INSUFFICIENT_BALANCE', 402);
      await run('job', [jobId, accountId, body, at]);
      await run('ledger', [requestId, accountId, jobId, -cost, at]);
      await run('usage', [requestId, accountId, cost, at]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
    return { request_id: requestId, job_id: jobId, status: 'NOT_STARTED', credits_cost: cost };
  }
}

/** Starts the service on a database of its own. Each key has an account of its own with plenty of credits. */
export async function startCrudService(databaseUrl: string, keys: readonly string[]) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  await pool.query(schema);
  await pool.query(
    `insert into accounts select 'account-' || place, hash, 2000000000
       from unnest($1::text[]) with ordinality as key (hash, place)`,
    [keys.map(hashOf)],
  );

  @Module({ controllers: [DispatchController], providers: [{ provide: pg.Pool, useValue: pool }] })
  class CrudModule {}

  const app = await NestFactory.create<NestFastifyApplication>(CrudModule, new FastifyAdapter(), {
    logger: false,
  });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), stop: async () => (await app.close(), pool.end()) };
}
