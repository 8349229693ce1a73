import type { DynamicModule } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.js';
import type { Logger } from '#platform/logger.js';
import { CallRefused } from './call-refused.js';
import type { OperatorRole } from './operator-role.js';
import type { Operator } from './operator.js';

export interface SignedInOperator {
  readonly name: string;
  readonly role: OperatorRole;
}

/**
 * Identifies operators for the operators' server. One capability implements it. Without one the server does not
 * start, and operators can only use the command on the database.
 */
export interface SignIn {
  /**
   * Called at each request, and again while a long answer is sent.
   * @throws CallRefused for a request that does not come from an operator, and {@link TooManyAttempts}
   */
  letIn(request: FastifyRequest): Promise<SignedInOperator>;
  /** Adds its own routes, such as that of a session. */
  addRoutes(server: FastifyInstance): void;
}

export interface SignInParts {
  /** The service without an operator. */
  readonly operator: Operator;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often one address may fail to sign in within a minute. */
  readonly failuresPerMin: number;
  /** The service, on behalf of the operator who sent the request. */
  inTheNameOf(name: string, request: FastifyRequest): Operator;
  /** Records an action of an operator that is not a call. */
  record(operator: Operator, action: string, input: object): Promise<unknown>;
}

/** Provides an operator for the command beside `npm start`. Its token is kept in the home. */
export interface HomeOperator {
  readonly features: readonly DynamicModule[];
  provide(operator: Pick<Operator, 'store' | 'execute' | 'context'>, home: string): Promise<void>;
}

/** The descriptions of the sign-in's routes for openapi-admin.json. */
export interface SignInDescription {
  readonly paths: Readonly<Record<string, object>>;
  readonly schemas: Readonly<Record<string, object>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
}

/** An address has failed too often, or too many others wait. */
export class TooManyAttempts extends CallRefused {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(`${message}: try again in ${retryAfterSeconds} s`, 'RATE_LIMITED');
  }
}
