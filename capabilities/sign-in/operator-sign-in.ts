import cookies from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Attempts, type LookedUp } from '#application/limits/attempts.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { TooManyAttempts, type SignIn, type SignInParts } from '#operator-calls/sign-in.js';
import { serveLogin, serveSession } from './login-routes.js';
import { activeOperator, authenticateOperator } from './manage-operators.handler.js';
import { hashOperatorToken, nameInToken } from './operator-token.js';
import type { AddedOperator } from './operator.js';
import { Sessions } from './sessions.js';

/**
 * Identifies operators by the token in a request's header or, from the console, by the cookie of a session. The
 * cookie counts for nothing in requests from a page of another site.
 */
export class OperatorSignIn implements SignIn {
  private readonly attempts: Attempts;
  private readonly logins: Attempts;
  private readonly sessions: Sessions;
  /** Hashes of tokens that were valid at their last use. A request with one of them is no guess. */
  private readonly proven = new LRUCache<string, true>({ max: 1_000 });

  constructor(private readonly parts: SignInParts) {
    this.attempts = new Attempts(parts.failuresPerMin);
    this.logins = new Attempts(parts.failuresPerMin);
    this.sessions = new Sessions(parts.clock, parts.operator.configuration.admin.publicUrl);
  }

  addRoutes(server: FastifyInstance): void {
    void server.register(cookies);
    const door = {
      ...this.parts,
      sessions: this.sessions,
      letIn: this.letIn.bind(this),
      count: this.count.bind(this),
    };
    serveSession(server, door);
    serveLogin(server, door);
  }

  async letIn(request: FastifyRequest): Promise<AddedOperator> {
    if (request.headers.authorization === undefined) {
      const known = await this.letInWithSession(request);
      if (known) return known;
    }
    const token = /^Bearer (\S{1,256})$/i.exec(request.headers.authorization ?? '')?.[1];
    const hash = token === undefined ? '' : hashOperatorToken(token);
    const { operator, clock } = this.parts;
    const look = () =>
      token === undefined ? Promise.resolve(undefined) : authenticateOperator(operator.store, token, clock());
    const couldBeGood = token !== undefined && nameInToken(token) !== undefined;
    const { found, retryAfterSeconds, tooManyWait }: LookedUp<AddedOperator> = this.proven.has(hash)
      ? { found: await look(), retryAfterSeconds: 0 }
      : await this.attempts.lookUp(request.ip, couldBeGood, look);
    if (found) {
      this.proven.set(hash, true);
      return found;
    }
    this.proven.delete(hash);
    if (tooManyWait) throw new TooManyAttempts('too many tokens wait to be checked', retryAfterSeconds);
    if (retryAfterSeconds > 0) throw tooManyFailures(retryAfterSeconds);
    throw new CallRefused(
      'send a valid token of an operator in the header Authorization: Bearer <token>; "atelier operators add" makes one',
      'UNAUTHENTICATED',
    );
  }

  /**
   * The operator of the session that the request's cookie names.
   * @throws CallRefused if another site sends the request
   */
  private async letInWithSession(request: FastifyRequest): Promise<AddedOperator | undefined> {
    const { operator, clock } = this.parts;
    const session = this.sessions.of(request);
    return session && (await activeOperator(operator.store, session.name, clock()));
  }

  /** Counts the logins that an address begins. */
  private count({ ip }: FastifyRequest): void {
    const retryAfter = this.logins.take(ip);
    if (retryAfter > 0) throw tooManyFailures(retryAfter);
  }
}

function tooManyFailures(retryAfterSeconds: number): CallRefused {
  const message = 'too many requests without a valid token came from this address';
  return new TooManyAttempts(message, retryAfterSeconds);
}
