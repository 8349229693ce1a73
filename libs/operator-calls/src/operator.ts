import type { Type } from '@nestjs/common';
import type { Command } from '@nestjs/cqrs';
import type { DataSource } from 'typeorm';
import type { AccountWriter } from '#application/account/account-writer.js';
import type { CommandContext } from '#application/command-context.js';
import type { OpenedAccount } from '#domain/account/account.js';
import type { Environment } from '#domain/streams.js';
import type { EventFilter, EventStore, RecordedEvent } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';
import type { Queries } from '#read-store/data-source.js';

/** The service as a call sees it, on behalf of one operator. */
export interface Operator {
  readonly name: string;
  readonly configuration: Configuration;
  readonly store: EventStore;
  readonly accounts: AccountWriter;

  /** A provider of the call's features. */
  get<Provider>(token: Type<Provider> | (abstract new (...args: never[]) => Provider)): Provider;

  execute<Result>(command: Command<Result>): Promise<Result>;

  context(environment: Environment, tenant: string): CommandContext;

  findAccount(environment: Environment, tenant: string): Promise<OpenedAccount | undefined>;

  /** @throws CallRefused when the tenant has no account in the environment */
  account(environment: Environment, tenant: string): Promise<OpenedAccount>;

  /** The environments in which the tenant has an account, or only `env`. @throws CallRefused if there is none */
  accountsOf(tenant: string, env: Environment | undefined): Promise<Environment[]>;

  /** The events that pass the filter. A process with many operators reads each event once. */
  recorded(filter: EventFilter): Promise<readonly RecordedEvent[]>;

  /** The read models of an environment, on one connection. */
  readModels(environment: Environment): Promise<DataSource>;

  /** For statements on both environments, which name their schemas. */
  database(): Promise<Queries>;

  /** Waits until the read model has the event at the position, so that the next call or `list` shows it. */
  caughtUp(environment: Environment, readModel: string, position: bigint | undefined): Promise<void>;

  /** Shows the operator a message while a call takes longer than usual. */
  say(line: string): void;
}
