import type { ModuleMetadata } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { createOperatorApp, OperatorContext } from '#adapters/operator-context.js';
import type { OpenedAccount } from '#domain/account/account.js';
import { environments, type Environment } from '#domain/streams.js';
import { createLogger } from '#platform/logger.js';
import type { LedgerReader } from '#projections/ledger/ledger.reader.js';
import { findConfiguration } from './service.js';
import { CliError } from './verb.js';

/** How long a write waits for the read models. They usually need some ten milliseconds. */
const catchUpMs = 5_000;
/** Longer than a projector that runs takes: a wait beyond it is explained. */
const silentMs = 1_000;

/** The service that this command is about, and what the verbs look up in it. */
export class Operator extends OperatorContext {
  private readonly dataSources = new Map<Environment, Promise<DataSource>>();

  /** @throws CliError when there is no service to be found */
  static async connect(features: NonNullable<ModuleMetadata['imports']> = []): Promise<Operator> {
    const configuration = findConfiguration();
    return new Operator(await createOperatorApp(configuration, features), configuration);
  }

  async findAccount(environment: Environment, tenant: string): Promise<OpenedAccount | undefined> {
    const { state } = await this.accounts.read(environment, tenant);
    return state.status === 'unopened' ? undefined : state;
  }

  /** @throws CliError when the tenant has no account in the environment */
  async account(environment: Environment, tenant: string): Promise<OpenedAccount> {
    const account = await this.findAccount(environment, tenant);
    if (account) return account;
    throw noSuchTenant(tenant, environment);
  }

  /** The environments in which the tenant has an account, or the one that is asked for. @throws CliError without any */
  async accountsOf(tenant: string, env: Environment | undefined): Promise<Environment[]> {
    const found: Environment[] = [];
    for (const environment of env ? [env] : environments)
      if (await this.findAccount(environment, tenant)) found.push(environment);
    if (found.length > 0) return found;
    throw noSuchTenant(tenant, env);
  }

  /** The read models of an environment, on one connection. */
  async readModels(environment: Environment): Promise<DataSource> {
    const { readModelEntities } = await import('#projections/read-models.js');
    const { createDataSource } = await import('#read-store/data-source.js');
    const settings = { url: this.configuration.databaseUrl, schema: environment, poolSize: 1 };
    const dataSource =
      this.dataSources.get(environment) ??
      createDataSource({ ...settings, entities: readModelEntities }).initialize();
    this.dataSources.set(environment, dataSource);
    return dataSource;
  }

  async ledger(environment: Environment): Promise<LedgerReader> {
    const { LedgerReader } = await import('#projections/ledger/ledger.reader.js');
    return new LedgerReader(await this.readModels(environment));
  }

  /**
   * Waits until the read models have seen what was just written, so that the next call or `list` shows it. When they
   * fall behind, it says so on standard error: the write itself is done all the same.
   */
  async caughtUp(environment: Environment, readModel: string, position: bigint | undefined): Promise<void> {
    if (position === undefined) return;
    const { CheckpointWatcher } = await import('#read-store/checkpoint-watcher.js');
    const log = createLogger('cli', 'silent');
    const watcher = new CheckpointWatcher({ url: this.configuration.databaseUrl, log });
    const say = (line: string) => process.stderr.write(`atelier: ${line}\n`);
    const waiting = () =>
      say(`done; waiting for the read model ${readModel} in ${environment}, which a projector keeps`);
    const timer = setTimeout(waiting, silentMs);
    try {
      await watcher.start();
      if (await watcher.waitFor(environment, readModel, position, catchUpMs)) return;
      say('the read model is still behind: is a projector running? What was done is done.');
    } finally {
      clearTimeout(timer);
      await watcher.stop();
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    const opening = await Promise.allSettled(this.dataSources.values());
    for (const each of opening) if (each.status === 'fulfilled') await each.value.destroy();
    await super[Symbol.asyncDispose]();
  }
}

export function noSuchTenant(tenant: string, environment?: Environment): CliError {
  const place = environment ? ` in ${environment}` : '';
  return new CliError(
    `there is no tenant ${tenant}${place}: "atelier tenants create" makes one and prints its id`,
  );
}
