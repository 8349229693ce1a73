import type { INestApplicationContext, ModuleMetadata, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule, type Command } from '@nestjs/cqrs';
import { AccountModule } from '#application/account/account.module.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { ActionModule } from '#application/action/action.module.js';
import type { CommandContext } from '#application/command-context.js';
import type { Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { systemClock } from '#platform/clock.js';
import { locationOf } from '#event-store/open-event-store.js';
import { LogMismatch, requireOwnLog } from '#read-store/log-fit.js';
import type { Configuration } from '#platform/configuration.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { withConnection } from '#platform/postgres.js';
import { EventLogModule } from './event-log.module.js';
import { LookedUpDatabaseModule } from './looked-up-database.module.js';
import { PlatformModule } from './platform.module.js';

class OperatorAppModule {}

/** The log, the accounts and the given `features`. This app writes no log lines. */
export async function createOperatorApp(
  configuration: Configuration,
  features: NonNullable<ModuleMetadata['imports']>,
): Promise<INestApplicationContext> {
  const logger = createLogger('operator', 'silent');
  const imports = [
    CqrsModule.forRoot(),
    PlatformModule.of({ configuration, logger }),
    EventLogModule.with({ maxConnections: 4 }),
    LookedUpDatabaseModule,
    AccountModule,
    ActionModule,
    ...features,
  ];
  const app = await NestFactory.createApplicationContext(
    { module: OperatorAppModule, imports },
    { logger: false, abortOnError: false },
  );
  try {
    await refuseOtherLog(app.get(EventStore), configuration);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/**
 * Refuses to write to a log that is not the installation's. A database that was not migrated yet has no binding
 * to check.
 * @throws LogMismatch
 */
export async function refuseOtherLog(
  store: EventStore,
  { databaseUrl, eventStoreUrl }: Pick<Configuration, 'databaseUrl' | 'eventStoreUrl'>,
): Promise<void> {
  await withConnection({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 }, (client) =>
    requireOwnLog(client, { store, place: locationOf(eventStoreUrl) }),
  ).catch((error: unknown) => {
    if (error instanceof LogMismatch) throw error;
    // If the database is away or not there yet, the code that needs it reports that.
  });
}

/** The service for the operator, beside the roles. Dispose of it, or the process does not end. */
export class OperatorContext implements AsyncDisposable {
  readonly store: EventStore;
  readonly accounts: AccountWriter;

  constructor(
    protected readonly app: INestApplicationContext,
    readonly configuration: Configuration,
    /** The actor, as metadata names it. */
    readonly actor = 'operator',
    protected readonly requestId?: string,
  ) {
    this.store = this.get(EventStore);
    this.accounts = this.get(AccountWriter);
  }

  get<Provider>(token: Type<Provider> | (abstract new (...args: never[]) => Provider)): Provider {
    return this.app.get(token, { strict: false });
  }

  execute<Result>(command: Command<Result>): Promise<Result> {
    return this.get(CommandBus).execute(command);
  }

  context(environment: Environment, tenant: string): CommandContext {
    const commandId = newId();
    const { actor, requestId = commandId } = this;
    return { environment, tenant, commandId, requestId, actor, at: systemClock() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
  }
}
