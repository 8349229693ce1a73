import type { DynamicModule } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.js';
import type { Logger } from '#platform/logger.js';
import { CliError } from './call-refused.js';
import type { OperatorRole } from './operator-role.js';
import type { Operator } from './operator.js';

/** The operator whom a request comes from. */
export interface SignedInOperator {
  readonly name: string;
  readonly role: OperatorRole;
}

/**
 * Tells the operators' server who asks. One capability implements it. Without one the server does not start, and only the
 * command on the database serves operators.
 */
export interface SignIn {
  /**
   * Asked at each request, and again while one is answered for long.
   * @throws CliError for a request that comes from no operator, and {@link TooManyAttempts}
   */
  letIn(request: FastifyRequest): Promise<SignedInOperator>;
  /** Adds its own routes, such as that of a session. */
  addRoutes(server: FastifyInstance): void;
}

/** What the server hands to the sign-in. */
export interface SignInParts {
  /** The service, in the name of no operator. */
  readonly operator: Operator;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often one address may fail to sign in within a minute. */
  readonly failuresPerMin: number;
  /** The service, in the name of the operator whom the request comes from. */
  inTheNameOf(name: string, request: FastifyRequest): Operator;
  /** Writes down what an operator did, beside the calls that change something. */
  record(operator: Operator, action: string, input: object): Promise<unknown>;
}

/** Provides an operator for the command beside `npm start`, whose token is kept in the home. */
export interface HomeOperator {
  readonly features: readonly DynamicModule[];
  provide(operator: Pick<Operator, 'store' | 'execute' | 'context'>, home: string): Promise<void>;
}

/** What openapi-admin.json says about the routes of the sign-in. */
export interface SignInDescription {
  readonly paths: Readonly<Record<string, object>>;
  readonly schemas: Readonly<Record<string, object>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
}

/** An address has failed too often, or too many others wait. */
export class TooManyAttempts extends CliError {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(`${message}: try again in ${retryAfterSeconds} s`, 'RATE_LIMITED');
  }
}
