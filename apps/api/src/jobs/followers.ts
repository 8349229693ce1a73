import { Injectable, Optional, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { bearerKeyOf } from '../auth/caller.js';
import { ApiError } from '../http/api-error.js';
import { Authenticator } from '#application/key/authenticator.js';

export interface FollowerLimits {
  /** Connections that wait for news, in this process. */
  readonly all: number;
  readonly ofTenant: number;
  /** For one of them: then the client comes again, and its key is looked at again. */
  readonly longestMs: number;
  /** For the client to read what it was sent before its connection is cut. */
  readonly graceMs: number;
  /** How often it is looked whether the key is still good: within a second of its revocation all is over. */
  readonly keyCheckMs: number;
}

export const defaultFollowerLimits: FollowerLimits = {
  all: 1_000,
  ofTenant: 100,
  longestMs: 5 * 60_000,
  graceMs: 2_000,
  keyCheckMs: 500,
};

export interface Follower {
  /** Aborts when the client goes, its key is revoked, its time is over, or this process stops. */
  readonly signal: AbortSignal;
  leave(): void;
}

/** Clients that keep a connection open until there is news of a job. Each costs memory, so they are counted. */
@Injectable()
export class Followers implements OnModuleDestroy {
  private readonly all = new Set<Follower & { readonly reply: FastifyReply }>();
  private readonly ofTenants = new Map<string, number>();

  constructor(
    private readonly keys: Authenticator,
    @Optional() private readonly limits: FollowerLimits = defaultFollowerLimits,
  ) {}

  /** A server that stops does not wait for jobs to end: those who follow them come again elsewhere. */
  onModuleDestroy(): void {
    for (const { reply, leave } of this.all) {
      // Otherwise the connection is kept for the client's next request, and keeps the server from closing.
      if (!reply.raw.headersSent) void reply.header('connection', 'close');
      leave();
    }
  }

  /** @throws ApiError 429 when the tenant has as many as it may, 503 when this process has */
  admit({ environment, tenant }: Caller, request: FastifyRequest, reply: FastifyReply): Follower {
    const owner = `${environment}.${tenant}`;
    const ofTenant = this.ofTenants.get(owner) ?? 0;
    if (ofTenant >= this.limits.ofTenant) throw tooMany('RATE_LIMITED', `You have ${ofTenant} of them.`);
    if (this.all.size >= this.limits.all)
      throw tooMany('SERVICE_UNAVAILABLE', 'This server has many of them.');

    const over = new AbortController();
    const { raw } = reply;
    const leave = () => {
      if (!this.all.delete(follower)) return;
      clearTimeout(longest);
      clearInterval(checks);
      raw.off('close', leave);
      this.count(owner, -1);
      over.abort();
      if (raw.destroyed) return;
      // One who does not read would otherwise keep its connection, and a stopping server, for ever.
      const cut = setTimeout(() => raw.destroy(), this.limits.graceMs);
      raw.once('close', () => clearTimeout(cut));
    };
    const longest = setTimeout(leave, this.limits.longestMs);
    const checks = setInterval(() => void this.leaveIfRevoked(request, leave), this.limits.keyCheckMs);
    const follower = { signal: over.signal, leave, reply };
    this.all.add(follower);
    this.count(owner, 1);
    raw.once('close', leave);
    return follower;
  }

  /** A store that cannot be asked right now is no reason to go: it is asked again soon. */
  private async leaveIfRevoked(request: FastifyRequest, leave: () => void): Promise<void> {
    const key = bearerKeyOf(request) ?? '';
    const caller = await this.keys.authenticate(key).catch(() => 'unknown');
    if (caller === undefined) leave();
  }

  private count(owner: string, change: number): void {
    const count = (this.ofTenants.get(owner) ?? 0) + change;
    if (count > 0) this.ofTenants.set(owner, count);
    else this.ofTenants.delete(owner);
  }
}

function tooMany(code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE', why: string): ApiError {
  const message = `Too many connections wait for news of jobs. ${why} Poll without \`wait\`, or try again soon.`;
  return new ApiError(code, message, { headers: { 'retry-after': '2' } });
}
