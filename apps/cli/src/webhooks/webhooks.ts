import { Global, Module } from '@nestjs/common';
import { WebhookTransportModule } from '#adapters/webhooks.module.js';
import { Deliveries, type DeliveryStatus } from '#application/webhook/deliveries.js';
import {
  ChangeWebhook,
  RegisterWebhook,
  RequestWebhookDelivery,
  testDeliveryId,
  webhooksOf,
  type RequestedMessage,
  type WebhookChange,
  type WebhookOrder,
} from '#application/webhook/manage-webhooks.handler.js';
import { WebhookModule } from '#application/webhook/webhook.module.js';
import { webhookSecretOf } from '#application/webhook/webhook-secret.js';
import type { Environment } from '#domain/streams.js';
import type { ResendScope, WebhookTopic } from '#domain/webhook/webhook.events.js';
import { mostEndpoints, type WebhookEndpoint } from '#domain/webhook/webhook.js';
import { Configuration } from '#platform/configuration.js';
import { PostgresDeliveries } from '#read-store/webhook-deliveries.js';
import { Operator } from '../operator.js';
import { printJson, printLine, printProperties, printTable } from '../output.js';
import { environmentsOf } from '../places.js';
import { withDatabase } from '../service.js';
import { CliError, type EnvironmentOptions, type OutputOptions } from '../verb.js';

/** On a connection for each look, of which a verb has one. */
@Global()
@Module({
  providers: [
    {
      provide: Deliveries,
      inject: [Configuration],
      useFactory: ({ databaseUrl }: Configuration) =>
        new PostgresDeliveries({
          query: (text, values) =>
            withDatabase(databaseUrl, undefined, (client) => client.query(text, values)),
        }),
    },
  ],
  exports: [Deliveries],
})
class DeliveriesModule {}

const connect = () => Operator.connect([WebhookTransportModule, DeliveriesModule, WebhookModule]);

/** Whose endpoint it is. */
interface Whose extends OutputOptions {
  readonly tenant: string;
  readonly env: Environment;
}

interface Terms {
  readonly url?: string;
  readonly events?: WebhookTopic[];
  readonly description?: string;
  readonly creditsLowBelow?: number;
}

export async function createWebhook(
  options: Whose & Required<Pick<Terms, 'url' | 'events' | 'description' | 'creditsLowBelow'>>,
): Promise<void> {
  const { tenant, env, url, events, description, creditsLowBelow, json } = options;
  await using operator = await connect();
  await operator.account(env, tenant);
  const signingKey = signingKeyOf(operator);
  const terms = { url, events, description, creditsLowBelow };
  const created = await operator.execute(new RegisterWebhook(operator.context(env, tenant), terms));
  printWithSecret(changed(created, url), signingKey, json);
}

export async function listTenantWebhooks({
  tenant,
  env,
  json,
}: EnvironmentOptions & { readonly tenant: string }): Promise<void> {
  await using operator = await Operator.connect();
  await operator.accountsOf(tenant, env);
  const found = [];
  for (const environment of environmentsOf(env))
    for (const endpoint of await webhooksOf(operator.store, environment, tenant))
      found.push({ env: environment, ...describe(endpoint) });
  if (json) return printJson({ tenant_id: tenant, webhooks: found });
  printTable(found, {
    'webhook id': (each) => each.webhook_id,
    environment: (each) => each.env,
    url: (each) => each.url,
    events: (each) => each.events.join(', '),
    disabled: (each) => each.disabled_because,
  });
}

export async function updateWebhook(
  endpointId: string,
  options: Whose & Terms & { readonly enable?: boolean; readonly disable?: boolean },
): Promise<void> {
  const { url, events, description, creditsLowBelow, enable, disable } = options;
  const given = Object.entries({ url, events, description, creditsLowBelow });
  const terms = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const enabled = enable ? true : disable ? false : undefined;
  await change(endpointId, options, { kind: 'revise', terms, enabled }, 'changed');
}

export async function removeWebhook(endpointId: string, options: Whose): Promise<void> {
  await change(endpointId, options, { kind: 'remove' }, 'removed');
}

async function change(endpointId: string, options: Whose, order: WebhookOrder, done: string): Promise<void> {
  const { tenant, env, json } = options;
  await using operator = await connect();
  const command = new ChangeWebhook(operator.context(env, tenant), endpointId, order);
  const endpoint = changed(await operator.execute(command), endpointId);
  if (json) printJson(describe(endpoint));
  else printLine(`Webhook ${endpointId} is ${done}.`);
}

export async function rotateWebhookSecret(
  endpointId: string,
  { tenant, env, overlap, json }: Whose & { readonly overlap: number },
): Promise<void> {
  await using operator = await connect();
  const signingKey = signingKeyOf(operator);
  const order = { kind: 'rotate-secret', overlapMs: overlap } as const;
  const rotated = await operator.execute(new ChangeWebhook(operator.context(env, tenant), endpointId, order));
  printWithSecret(changed(rotated, endpointId), signingKey, json);
}

export async function testWebhook(endpointId: string, options: Whose): Promise<void> {
  await request(endpointId, options, { kind: 'test' });
}

export async function resendWebhook(
  endpointId: string,
  options: Whose & {
    readonly delivery?: string;
    readonly since?: Date;
    readonly until?: Date;
    readonly failed?: boolean;
  },
): Promise<void> {
  await request(endpointId, options, { kind: 'resend', scope: scopeOf(options) });
}

function scopeOf({ delivery, since, until, failed }: Parameters<typeof resendWebhook>[1]): ResendScope {
  if ([delivery, since, failed].filter(Boolean).length !== 1 || (until && !since))
    throw new CliError('say one of --delivery, --since (with --until or not) and --failed');
  if (delivery) return { kind: 'delivery', deliveryId: delivery };
  if (!since) return { kind: 'failed' };
  return { kind: 'period', since: since.toISOString(), until: (until ?? new Date()).toISOString() };
}

async function request(
  endpointId: string,
  { tenant, env, json }: Whose,
  message: RequestedMessage,
): Promise<void> {
  await using operator = await connect();
  const context = operator.context(env, tenant);
  const { kind } = await operator.execute(new RequestWebhookDelivery(context, endpointId, message));
  if (kind === 'rejected') throw unknownWebhook(endpointId);
  const delivery = message.kind === 'test' ? { delivery_id: testDeliveryId(context, endpointId) } : {};
  if (json) printJson({ webhook_id: endpointId, status: 'REQUESTED', ...delivery });
  else printLine('Asked for: "atelier webhooks deliveries" shows what comes of it.');
}

export async function listWebhookDeliveries(
  endpointId: string,
  { tenant, env, status, limit, json }: Whose & { readonly status?: DeliveryStatus; readonly limit: number },
): Promise<void> {
  await using operator = await connect();
  const filter = { endpointId, status, limit, offset: 0 };
  const { items, total } = await operator.get(Deliveries).list(env, tenant, filter);
  if (json) return printJson({ webhook_id: endpointId, total, deliveries: items });
  printTable(items, {
    'delivery id': (each) => each.deliveryId,
    type: (each) => each.type,
    status: (each) => each.status,
    occurred: (each) => each.occurredAt.toISOString(),
    attempts: (each) => each.made.length,
    'last answer': ({ made }) => made.at(-1)?.statusCode ?? made.at(-1)?.error,
  });
}

function describe(endpoint: WebhookEndpoint) {
  const { endpointId, url, events, description, creditsLowBelow, disabled, registeredAt } = endpoint;
  return {
    ...{ webhook_id: endpointId, url, events, description, credits_low_below: creditsLowBelow },
    ...{ disabled_because: disabled?.reason, disabled_at: disabled?.at, created_at: registeredAt },
  };
}

function printWithSecret(endpoint: WebhookEndpoint, signingKey: string, json: boolean | undefined): void {
  const secret = webhookSecretOf(signingKey, endpoint.endpointId, endpoint.secretId);
  if (json) return printJson({ ...describe(endpoint), secret });
  printProperties([
    ['webhook id', endpoint.endpointId],
    ['url', endpoint.url],
    ['secret', secret],
    ['', 'The secret is shown only now: its receiver checks signatures with it.'],
  ]);
}

/** @param what was named, for a complaint */
function changed(change: WebhookChange, what: string): WebhookEndpoint {
  if (change.kind === 'changed') return change.endpoint;
  if (change.kind === 'bad-address') throw new CliError(`the url ${change.complaint}`);
  if (change.rejection.code === 'WEBHOOK_NOT_FOUND') throw unknownWebhook(what);
  throw new CliError(`a tenant has ${mostEndpoints} webhooks at most: remove one first`);
}

function unknownWebhook(endpointId: string): CliError {
  return new CliError(
    `the tenant has no webhook ${endpointId} there: "atelier webhooks list" shows their ids`,
  );
}

function signingKeyOf({ configuration: { signingKey } }: Operator): string {
  if (signingKey !== undefined) return signingKey;
  throw new CliError(
    'no webhook can be signed here: set ATELIER_SIGNING_KEY, for the API and the workers as well',
  );
}
