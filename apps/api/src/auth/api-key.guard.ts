import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, ClientScope } from '#application/command-context.js';
import { Attempts, type LookedUp } from '#application/limits/attempts.js';
import { RateLimiter } from '#application/limits/rate-limiter.js';
import type { Capability } from '#domain/key/key.events.js';
import { ApiError } from '../http/api-error.js';
import { bearerKeyOf } from './caller.js';
import { ClientTokens, isClientToken } from './client-tokens.js';
import { SignatureCheck, unauthenticated } from './signature.js';
import { parseApiKey } from '#application/key/api-key.js';
import { Authenticator } from '#application/key/authenticator.js';
import type { RateVerdict } from '#application/limits/rate-limit-store.js';

const publicRoute = 'atelier:public';
const requiredCapability = 'atelier:capability';
const openToTokens = 'atelier:client-token';

/** Opens a route to all clients. Without it, a route requires a valid key. */
export const Public = () => SetMetadata(publicRoute, true);

export const RequireCapability = (capability: Capability) => SetMetadata(requiredCapability, capability);

/** Opens a route to client tokens of this kind too. A token of a job works only if the path names that job. */
export const OpenToClientTokens = (kind: ClientScope['kind']) => SetMetadata(openToTokens, kind);

/**
 * Checks the bearer key of a request, and stores its caller on the request. The order of the checks is: the
 * key, the key's rate limit, the signature of the body, the capability.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: Authenticator,
    /** Failed authentication, by address. */
    private readonly attempts: Attempts,
    private readonly limiter: RateLimiter,
    private readonly signatures: SignatureCheck,
    private readonly tokens: ClientTokens,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(publicRoute, targets)) return true;

    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const caller = await this.authenticate(request);
    request.caller = caller;

    const verdict = await this.limiter.count(caller);
    tellRateLimit(http.getResponse<FastifyReply>(), verdict);
    if (!verdict.passed) {
      const why = `This key may make ${verdict.limit} requests a minute. Nothing was charged: try again`;
      throw rateLimited(verdict.retryAfterSeconds, why);
    }

    await this.signatures.check(request, caller);

    if (caller.scope) {
      const kind = this.reflector.getAllAndOverride<ClientScope['kind'] | undefined>(openToTokens, targets);
      checkScope(caller.scope, kind, request);
    }
    const needed = this.reflector.getAllAndOverride<Capability | undefined>(requiredCapability, targets);
    if (needed !== undefined && !caller.capabilities.includes(needed)) {
      throw new ApiError(
        'CAPABILITY_REQUIRED',
        `This key lacks the capability ${needed}. Use a key that has it. Nothing was charged.`,
      );
    }
    return true;
  }

  private async authenticate({ ip, headers }: FastifyRequest): Promise<Caller> {
    const { keys, attempts, tokens } = this;
    const key = bearerKeyOf({ headers });
    const look = async () =>
      isClientToken(key) ? tokens.authenticate(key) : key === undefined ? undefined : keys.authenticate(key);
    const { found, retryAfterSeconds, tooManyWait }: LookedUp<Caller> =
      key !== undefined && keys.recognises(key)
        ? { found: await look(), retryAfterSeconds: 0 }
        : await attempts.lookUp(ip, isClientToken(key) || isWellFormed(key), look);
    if (found) return found;
    // The address has failed too often: the answer does not depend on the key.
    if (retryAfterSeconds > 0) {
      const why = tooManyWait
        ? 'Too many API keys are waiting to be checked, so yours was not checked.'
        : 'Too many requests without a valid API key came from this address.';
      throw rateLimited(retryAfterSeconds, `${why} Try again`);
    }
    throw unauthenticated();
  }
}

const isWellFormed = (key: string | undefined) => key !== undefined && parseApiKey(key) !== undefined;

function checkScope(
  { kind, id }: ClientScope,
  open: ClientScope['kind'] | undefined,
  { params }: FastifyRequest,
): void {
  // A route that is open to tokens of a job has its id in the path.
  if (kind === open && (kind === 'upload' || (params as { public_id?: string }).public_id === id)) return;
  const only = kind === 'upload' ? 'one POST /v1/uploads' : `GET /v1/jobs/${id} and its events`;
  throw new ApiError('CAPABILITY_REQUIRED', `This token is for ${only}. Nothing was charged.`);
}

/**
 * Adds the state of the limit to every answer, in the structured fields of the IETF's draft "RateLimit header
 * fields for HTTP". `q` requests are allowed in `w` seconds; `r` are left, and the full limit is back in `t`
 * seconds.
 */
function tellRateLimit(reply: FastifyReply, { limit, remaining, resetSeconds }: RateVerdict): void {
  void reply
    .header('ratelimit-policy', `"default";q=${limit};w=60`)
    .header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
}

/** @param why the message, up to the time */
function rateLimited(seconds: number, why: string): ApiError {
  const time = seconds === 1 ? 'a second' : `${seconds} seconds`;
  return new ApiError('RATE_LIMITED', `${why} in ${time}.`, { headers: { 'retry-after': String(seconds) } });
}
