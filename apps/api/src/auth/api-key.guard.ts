import { SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '#application/caller.js';
import type { Capability } from '#domain/key/key.events.js';
import { ApiError } from '../errors/api-error.js';
import { setCaller } from './caller.js';

const publicRoute = 'atelier:public';
const requiredCapability = 'atelier:capability';

/** Opens a route to everybody. Without it, a route asks for a valid key. */
export const Public = () => SetMetadata(publicRoute, true);

/** Asks for this capability beside a valid key. */
export const RequireCapability = (capability: Capability) => SetMetadata(requiredCapability, capability);

export interface KeyCheck {
  authenticate(key: string): Promise<Caller | undefined>;
}

/** Lets a request in by its bearer key, and puts whom it speaks for on the request. */
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: KeyCheck,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(publicRoute, targets)) return true;

    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = /^Bearer +([^\s]{1,256}) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const caller = key === undefined ? undefined : await this.keys.authenticate(key);
    if (!caller) throw unauthenticated();
    setCaller(request, caller);

    const needed = this.reflector.getAllAndOverride<Capability | undefined>(requiredCapability, targets);
    if (needed !== undefined && !caller.capabilities.includes(needed)) {
      throw new ApiError(
        'CAPABILITY_REQUIRED',
        `This key lacks the capability ${needed}. Use a key that has it. Nothing was charged.`,
      );
    }
    return true;
  }
}

/** The same for a key that is missing, malformed, unknown or revoked: the answer must not help a guesser. */
function unauthenticated(): ApiError {
  return new ApiError(
    'UNAUTHENTICATED',
    'Send a valid API key in the header Authorization: Bearer <API_KEY>.',
    { headers: { 'www-authenticate': 'Bearer' } },
  );
}
