import { userInfo } from 'node:os';
import type { ModuleMetadata } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { createOperatorApp, OperatorContext } from '#adapters/operator-context.js';
import type { OpenedAccount } from '#domain/account/account.js';
import { environments, type Environment } from '#domain/streams.js';
import type { Configuration } from '#platform/configuration.js';
import type { EventFilter, RecordedEvent } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import type { Queries } from '#read-store/data-source.js';
import { KeptEvents } from './log-reading.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { Operator } from '#operator-calls/operator.js';

/** How long a write waits for the read models. They usually need some ten milliseconds. */
const catchUpMs = 5_000;
/** A projector that runs needs less time; a longer wait is explained to the operator. */
const silentMs = 1_000;

type Features = NonNullable<ModuleMetadata['imports']>;

/** The service that this command is about, and the data that the verbs look up in it. */
export class ConnectedOperator extends OperatorContext implements Operator {
  /** Prints a line for an operator who waits longer than usual for an answer. */
  say = (line: string): void => void process.stderr.write(`atelier: ${line}\n`);
  private dataSources = new Map<Environment, Promise<DataSource>>();
  private kept = new Map<string, KeptEvents>();
  private connections = 1;

  /**
   * Connects to the database alone, in the name of the person at the terminal.
   * @throws CallRefused if there is no service
   */
  static async connect(features: Features = []): Promise<ConnectedOperator> {
    const configuration = findConfiguration();
    const name = personAtTerminal();
    const app = await createOperatorApp(configuration, features);
    return new ConnectedOperator(app, configuration, `command:${name}`, newId());
  }

  /** For a process that serves many operators. */
  static async serve(configuration: Configuration, features: Features): Promise<ConnectedOperator> {
    const operator = new ConnectedOperator(await createOperatorApp(configuration, features), configuration);
    operator.connections = 4;
    return operator;
  }

  /** The same service, for one request of an operator. */
  inTheNameOf(name: string, requestId: string, say: Operator['say']): ConnectedOperator {
    const { app, configuration, dataSources, kept, connections } = this;
    const operator = new ConnectedOperator(app, configuration, `operator:${name}`, requestId);
    return Object.assign(operator, { dataSources, kept, connections, say });
  }

  /** The name of the operator who acts. */
  get name(): string {
    return this.actor.slice(this.actor.indexOf(':') + 1);
  }

  async findAccount(environment: Environment, tenant: string): Promise<OpenedAccount | undefined> {
    const { state } = await this.accounts.read(environment, tenant);
    return state.status === 'unopened' ? undefined : state;
  }

  /** @throws CallRefused when the tenant has no account in the environment */
  async account(environment: Environment, tenant: string): Promise<OpenedAccount> {
    const account = await this.findAccount(environment, tenant);
    if (account) return account;
    throw noSuchTenant(tenant, environment);
  }

  /**
   * The environments in which the tenant has an account; `env` limits the search to one.
   * @throws CallRefused if there is none
   */
  async accountsOf(tenant: string, env: Environment | undefined): Promise<Environment[]> {
    const found: Environment[] = [];
    for (const environment of env ? [env] : environments)
      if (await this.findAccount(environment, tenant)) found.push(environment);
    if (found.length > 0) return found;
    throw noSuchTenant(tenant, env);
  }

  /** The events that pass the filter. A process that serves many operators reads each of them once. */
  recorded(filter: EventFilter): Promise<readonly RecordedEvent[]> {
    const name = JSON.stringify(filter);
    const kept = this.kept.get(name) ?? new KeptEvents(this.store, filter);
    this.kept.set(name, kept);
    return kept.all();
  }

  /** The read models of an environment, on one connection. */
  async readModels(environment: Environment): Promise<DataSource> {
    const { readModelEntities } = await import('#projections/read-models.js');
    const { createDataSource } = await import('#read-store/data-source.js');
    const settings = { url: this.configuration.databaseUrl, schema: environment, poolSize: this.connections };
    const dataSource =
      this.dataSources.get(environment) ??
      createDataSource({ ...settings, entities: readModelEntities }).initialize();
    this.dataSources.set(environment, dataSource);
    return dataSource;
  }

  /** Runs statements that name their schemas, so they can read both environments. */
  async database(): Promise<Queries> {
    const reads = await this.readModels('live');
    const rows = (text: string, values?: unknown[]): Promise<unknown[]> =>
      reads.query(text, values).catch((error: unknown) => {
        // Passes on the error of PostgreSQL's driver. TypeORM is not loaded just for its class of errors.
        throw (error as { driverError?: unknown }).driverError ?? error;
      });
    return { query: async (text, values) => ({ rows: await rows(text, values) }) };
  }

  /**
   * Waits until the read models have seen the write, so that the next call or `list` shows it. If they fall
   * behind, it says so on standard error; the write is done all the same.
   */
  async caughtUp(environment: Environment, readModel: string, position: bigint | undefined): Promise<void> {
    if (position === undefined) return;
    const { CheckpointWatcher } = await import('#read-store/checkpoint-watcher.js');
    const log = createLogger('cli', 'silent');
    const watcher = new CheckpointWatcher({ url: this.configuration.databaseUrl, log });
    const waiting = () =>
      this.say(`done; waiting for the read model ${readModel} in ${environment}, which a projector keeps`);
    const timer = setTimeout(waiting, silentMs);
    try {
      await watcher.start();
      if (await watcher.waitFor(environment, readModel, position, catchUpMs)) return;
      this.say('the read model is still behind: is a projector running? The change itself is done.');
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

/**
 * The user name that the system gives, or ATELIER_OPERATOR if it is set. The name is not proven: a person who
 * reaches the database may do anything.
 */
export function personAtTerminal(): string {
  try {
    return process.env['ATELIER_OPERATOR'] || userInfo().username;
  } catch {
    // A container may run under a number without a name.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

export function noSuchTenant(tenant: string, environment?: Environment): CallRefused {
  const place = environment ? ` in ${environment}` : '';
  return new CallRefused(
    `there is no tenant ${tenant}${place}: "atelier tenants create" makes one and prints its id`,
    'RESOURCE_NOT_FOUND',
  );
}
