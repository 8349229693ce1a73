import 'reflect-metadata';
import { createHash } from 'node:crypto';
import {
  Body,
  CanActivate,
  Controller,
  ExecutionContext,
  HttpCode,
  HttpException,
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
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { newId } from '#platform/ids.js';

/*
 * The peer that Atelier is measured against: the service that a competent team would write in a week. Same
 * framework, same PostgreSQL, same promise at the moment of the 202: the credits are debited, the job, its ledger
 * line and its usage row are committed. One transaction that locks the account's row, as everyone does it.
 */

@Entity('accounts')
class AccountRow {
  @PrimaryColumn('text') id: string;
  @Column('text') keyHash: string;
  @Column('int') balance: number;
}

@Entity('jobs')
class JobRow {
  @PrimaryColumn('text') id: string;
  @Column('text') accountId: string;
  @Column('text') jobType: string;
  @Column('text') status: string;
  @Column('jsonb') request: object;
  @Column('timestamptz') createdAt: Date;
}

@Entity('ledger')
class LedgerRow {
  @PrimaryColumn('text') id: string;
  @Column('text') accountId: string;
  @Column('text') jobId: string;
  @Column('int') creditsDelta: number;
  @Column('timestamptz') createdAt: Date;
}

@Entity('usage')
class UsageRow {
  @PrimaryColumn('text') requestId: string;
  @Column('text') accountId: string;
  @Column('text') endpoint: string;
  @Column('text') status: string;
  @Column('int') creditsCharged: number;
  @Column('timestamptz') createdAt: Date;
}

class ModelGeneratorBody {
  @IsOptional() @IsIn(['MALE', 'FEMALE']) gender?: string;
  @IsOptional() @IsInt() @Min(0) @Max(2 ** 31 - 1) seed?: number;
}

interface KnownRequest {
  headers: Record<string, string | undefined>;
  accountId: string;
}

@Injectable()
class KeyGuard implements CanActivate {
  constructor(private readonly database: DataSource) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<KnownRequest>();
    const key = request.headers['authorization']?.replace('Bearer ', '') ?? '';
    const keyHash = createHash('sha256').update(key).digest('hex');
    const account = await this.database.getRepository(AccountRow).findOneBy({ keyHash });
    if (!account) throw new UnauthorizedException();
    request.accountId = account.id;
    return true;
  }
}

const cost = 5;

@Controller('v1')
@UseGuards(KeyGuard)
class DispatchController {
  constructor(private readonly database: DataSource) {}

  @Post('model-generator')
  @HttpCode(202)
  async dispatch(@Req() { accountId }: KnownRequest, @Body() body: ModelGeneratorBody) {
    const [requestId, jobId, createdAt] = [newId(), newId(), new Date()];
    await this.database.transaction(async (transaction) => {
      const account = await transaction.findOneOrFail(AccountRow, {
        where: { id: accountId },
        lock: { mode: 'pessimistic_write' },
      });
      if (account.balance < cost) throw new HttpException('INSUFFICIENT_BALANCE', 402);
      await transaction.update(AccountRow, { id: accountId }, { balance: account.balance - cost });
      await transaction.insert(JobRow, {
        id: jobId,
        accountId,
        jobType: 'MODEL_GENERATOR',
        status: 'NOT_STARTED',
        request: body,
        createdAt,
      });
      await transaction.insert(LedgerRow, {
        id: requestId,
        accountId,
        jobId,
        creditsDelta: -cost,
        createdAt,
      });
      await transaction.insert(UsageRow, {
        requestId,
        accountId,
        endpoint: '/v1/model-generator',
        status: 'PENDING',
        creditsCharged: cost,
        createdAt,
      });
    });
    return { request_id: requestId, job_id: jobId, status: 'NOT_STARTED', credits_cost: cost };
  }
}

/** Starts the service on a database of its own, with these keys, each for an account of its own with plenty of credits. */
export async function startCrudService(databaseUrl: string, keys: readonly string[]) {
  const database = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    entities: [AccountRow, JobRow, LedgerRow, UsageRow],
    synchronize: true,
    poolSize: 20,
  });
  await database.initialize();
  await database.query('create unique index on accounts ("keyHash")');
  await database.getRepository(AccountRow).insert(
    keys.map((key, index) => ({
      id: `account-${index}`,
      keyHash: createHash('sha256').update(key).digest('hex'),
      balance: 2_000_000_000,
    })),
  );

  @Module({ controllers: [DispatchController], providers: [{ provide: DataSource, useValue: database }] })
  class CrudModule {}

  const app = await NestFactory.create<NestFastifyApplication>(CrudModule, new FastifyAdapter(), {
    logger: false,
  });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), stop: async () => (await app.close(), database.destroy()) };
}
