import { Controller, Delete, Get, HttpCode, Inject, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiExtraModels, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerContext, type Caller, type CommandContext } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import {
  ChangeWebhook,
  RegisterWebhook,
  RequestWebhookDelivery,
  testDeliveryId,
  webhooksOf,
  type RequestedMessage,
  type WebhookChange,
  type WebhookOrder,
} from './manage-webhooks.handler.js';
import { Deliveries } from './postgres-deliveries.js';
import { webhookSecretOf } from './webhook-secret.js';
import type { ResendScope } from './webhook.events.js';
import { endpointOf, mostEndpoints, type WebhookEndpoint } from './webhook.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { ApiError, invalid, notFound } from '#api/http/api-error.js';
import { tellWrite } from '#api/http/consistency-token.js';
import { DescribeErrors, describedHeaders, DescribePublicId, DescribeWrite } from '#api/http/describe.js';
import { EmptyBody, NoIdempotencyKey, PublicId, ValidBody, ValidQuery } from '#api/http/valid-request.js';
import { webhookMessages } from './webhook-messages.dto.js';
import {
  CreateWebhookBody,
  DeliveryListResponse,
  ListDeliveriesQuery,
  presentDelivery,
  presentWebhook,
  RequestedResendResponse,
  RequestedTestResponse,
  ResendWebhookBody,
  ReviseWebhookBody,
  RotateWebhookSecretBody,
  WebhookListResponse,
  WebhookResponse,
  WebhookWithSecretResponse,
} from './webhooks.dto.js';

const hourMs = 60 * 60_000;

@ApiTags('webhooks')
@ApiExtraModels(...webhookMessages.map(({ shape }) => shape))
@Controller('/v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    private readonly sent: Deliveries,
    private readonly consistency: ReadYourWrites,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Post()
  @UseGuards(NoIdempotencyKey)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Register an endpoint that receives messages about jobs and credits',
    description:
      'Messages are signed as Standard Webhooks specifies, with the `secret` of the answer. Addresses in private and ' +
      `local networks are refused, here and at each call. A tenant has at most ${mostEndpoints} endpoints.`,
  })
  @ApiBody({ type: CreateWebhookBody, required: true })
  @DescribeWrite(201, WebhookWithSecretResponse)
  @DescribeErrors(401, 403, 413, 415, 422)
  async create(
    @CurrentCaller() caller: Caller,
    @ValidBody(CreateWebhookBody) body: CreateWebhookBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookWithSecretResponse> {
    const signingKey = this.signingKey();
    const { url, events, description, credits_low_below: creditsLowBelow } = body;
    const terms = { url, events, description, creditsLowBelow };
    const command = new RegisterWebhook(this.contextOf(caller, request), terms);
    const endpoint = this.changed(caller, await this.commands.execute(command), reply);
    return this.withSecret(signingKey, endpoint);
  }

  @Get()
  @RequireCapability('jobs:read')
  @ApiOperation({ operationId: 'listWebhooks', summary: 'All endpoints, the oldest first' })
  @ApiResponse({ status: 200, description: 'Found.', type: WebhookListResponse, headers: describedHeaders() })
  @DescribeErrors(401, 403)
  async list(@CurrentCaller() { environment, tenant }: Caller): Promise<WebhookListResponse> {
    const endpoints = await webhooksOf(this.store, environment, tenant);
    return { items: endpoints.map((endpoint) => presentWebhook(endpoint, this.clock())) };
  }

  @Get(':public_id')
  @RequireCapability('jobs:read')
  @ApiOperation({ operationId: 'getWebhook', summary: 'One endpoint' })
  @DescribePublicId('webhook')
  @ApiResponse({ status: 200, description: 'Found.', type: WebhookResponse, headers: describedHeaders() })
  @DescribeErrors(401, 403, 404)
  async get(
    @CurrentCaller() caller: Caller,
    @PublicId('webhook') endpointId: string,
  ): Promise<WebhookResponse> {
    return presentWebhook(await this.find(caller, endpointId), this.clock());
  }

  @Patch(':public_id')
  @RequireCapability('jobs:create')
  @ApiOperation({ operationId: 'updateWebhook', summary: 'Change an endpoint, stop it, or start it again' })
  @DescribePublicId('webhook')
  @ApiBody({ type: ReviseWebhookBody, required: true })
  @DescribeWrite(200, WebhookResponse)
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async revise(
    @CurrentCaller() caller: Caller,
    @PublicId('webhook') endpointId: string,
    @ValidBody(ReviseWebhookBody) body: ReviseWebhookBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookResponse> {
    const { url, events, description, credits_low_below: creditsLowBelow, enabled } = body;
    const given = Object.entries({ url, events, description, creditsLowBelow });
    const terms = Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
    const order: WebhookOrder = { kind: 'revise', terms, enabled };
    return presentWebhook(await this.change(caller, endpointId, order, request, reply), this.clock());
  }

  @Delete(':public_id')
  @HttpCode(204)
  @RequireCapability('jobs:create')
  @ApiOperation({ operationId: 'deleteWebhook', summary: 'Remove an endpoint for good' })
  @DescribePublicId('webhook')
  @ApiResponse({ status: 204, description: 'Removed.', headers: describedHeaders('X-Consistency-Token') })
  @DescribeErrors(401, 403, 404, 413, 422)
  async remove(
    @CurrentCaller() caller: Caller,
    @PublicId('webhook') endpointId: string,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.change(caller, endpointId, { kind: 'remove' }, request, reply);
  }

  @Post(':public_id/rotate-secret')
  @UseGuards(NoIdempotencyKey)
  @HttpCode(200)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Give an endpoint a new secret',
    description: 'Until `previous_secret_until`, messages carry a signature by each of the two secrets.',
  })
  @DescribePublicId('webhook')
  @ApiBody({ type: RotateWebhookSecretBody, required: true })
  @DescribeWrite(200, WebhookWithSecretResponse)
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async rotate(
    @CurrentCaller() caller: Caller,
    @PublicId('webhook') endpointId: string,
    @ValidBody(RotateWebhookSecretBody) { overlap_hours: hours }: RotateWebhookSecretBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookWithSecretResponse> {
    const signingKey = this.signingKey();
    const order: WebhookOrder = { kind: 'rotate-secret', overlapMs: hours * hourMs };
    return this.withSecret(signingKey, await this.change(caller, endpointId, order, request, reply));
  }

  @Post(':public_id/test')
  @UseGuards(NoIdempotencyKey)
  @HttpCode(200)
  @RequireCapability('jobs:create')
  @ApiOperation({ operationId: 'testWebhook', summary: 'Send the endpoint a `webhook.test` message' })
  @DescribePublicId('webhook')
  @ApiBody({ required: false, schema: { type: 'object', additionalProperties: false } })
  @ApiResponse({
    status: 200,
    description: 'Asked for.',
    type: RequestedTestResponse,
    headers: describedHeaders(),
  })
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async test(
    @CurrentCaller() caller: Caller,
    @PublicId('webhook') endpointId: string,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
  ): Promise<RequestedTestResponse> {
    const context = await this.request(caller, endpointId, { kind: 'test' }, request);
    return { delivery_id: testDeliveryId(context, endpointId) };
  }

  @Post(':public_id/resend')
  @UseGuards(NoIdempotencyKey)
  @HttpCode(200)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'resendWebhook',
    summary: 'Send deliveries again: one, all of a period, or all that failed',
    description:
      'Deliveries keep their ids. A request sends at most 10,000, the oldest first. Deliveries are kept for 30 days.',
  })
  @DescribePublicId('webhook')
  @ApiBody({ type: ResendWebhookBody, required: true })
  @ApiResponse({
    status: 200,
    description: 'Asked for.',
    type: RequestedResendResponse,
    headers: describedHeaders(),
  })
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async resend(
    @CurrentCaller() caller: Caller,
    @PublicId('webhook') endpointId: string,
    @ValidBody(ResendWebhookBody) body: ResendWebhookBody,
    @Req() request: FastifyRequest,
  ): Promise<RequestedResendResponse> {
    await this.request(caller, endpointId, { kind: 'resend', scope: scopeOf(body, this.clock()) }, request);
    return { status: 'REQUESTED' };
  }

  @Get(':public_id/deliveries')
  @RequireCapability('jobs:read')
  @ApiOperation({
    operationId: 'listWebhookDeliveries',
    summary: 'Deliveries to an endpoint in the last 30 days, with each attempt, newest first',
  })
  @DescribePublicId('webhook')
  @ApiQuery({ type: ListDeliveriesQuery })
  @ApiResponse({
    status: 200,
    description: 'Found.',
    type: DeliveryListResponse,
    headers: describedHeaders(),
  })
  @DescribeErrors(401, 403, 404, 422)
  async deliveries(
    @CurrentCaller() caller: Caller,
    @PublicId('webhook') endpointId: string,
    @ValidQuery(ListDeliveriesQuery) { status, limit, offset }: ListDeliveriesQuery,
  ): Promise<DeliveryListResponse> {
    await this.find(caller, endpointId);
    const { environment, tenant } = caller;
    const filter = { endpointId, status, limit, offset };
    const { items, total } = await this.sent.list(environment, tenant, filter);
    return { items: items.map(presentDelivery), total, limit, offset };
  }

  private async find({ environment, tenant }: Caller, endpointId: string): Promise<WebhookEndpoint> {
    const endpoint = endpointOf(await webhooksOf(this.store, environment, tenant), endpointId);
    if (!endpoint) throw notFound('webhook');
    return endpoint;
  }

  private async change(
    caller: Caller,
    endpointId: string,
    order: WebhookOrder,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<WebhookEndpoint> {
    const command = new ChangeWebhook(this.contextOf(caller, request), endpointId, order);
    return this.changed(caller, await this.commands.execute(command), reply);
  }

  private changed(caller: Caller, change: WebhookChange, reply: FastifyReply): WebhookEndpoint {
    if (change.kind === 'bad-address') throw wrong(['body', 'url'], change.complaint);
    if (change.kind === 'rejected') {
      if (change.rejection.code === 'WEBHOOK_NOT_FOUND') throw notFound('webhook');
      throw wrong(
        ['body'],
        `adds an endpoint to the ${mostEndpoints} that a tenant can have: remove one first`,
      );
    }
    const { position, endpoint } = change;
    tellWrite(this.consistency, caller, position, reply);
    return endpoint;
  }

  private async request(
    caller: Caller,
    endpointId: string,
    message: RequestedMessage,
    request: FastifyRequest,
  ): Promise<CommandContext> {
    const context = this.contextOf(caller, request);
    const { kind } = await this.commands.execute(new RequestWebhookDelivery(context, endpointId, message));
    if (kind === 'unknown-webhook') throw notFound('webhook');
    if (kind === 'unknown-delivery') throw notFound('delivery of this webhook');
    return context;
  }

  private contextOf(caller: Caller, { id }: FastifyRequest): CommandContext {
    return callerContext(caller, id, id, this.clock());
  }

  private withSecret(signingKey: string, endpoint: WebhookEndpoint): WebhookWithSecretResponse {
    const secret = webhookSecretOf(signingKey, endpoint.endpointId, endpoint.secretId);
    return { ...presentWebhook(endpoint, this.clock()), secret };
  }

  private signingKey(): string {
    const { signingKey } = this.configuration;
    if (signingKey !== undefined) return signingKey;
    const message =
      'Webhooks cannot be signed here: the operator has to set ATELIER_SIGNING_KEY. Nothing was changed.';
    throw new ApiError('SERVICE_UNAVAILABLE', message);
  }
}

function scopeOf({ delivery_id: deliveryId, since, until }: ResendWebhookBody, now: Date): ResendScope {
  if (deliveryId) return { kind: 'delivery', deliveryId };
  if (!since) return { kind: 'failed' };
  const [from, to] = [new Date(since), until ? new Date(until) : now];
  return { kind: 'period', since: from.toISOString(), until: to.toISOString() };
}

function wrong(loc: string[], msg: string): ApiError {
  return invalid([{ loc, msg, type: 'value' }]);
}
