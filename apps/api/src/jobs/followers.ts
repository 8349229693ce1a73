import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { bearerKeyOf } from '../auth/caller.js';
import { ApiError } from '../http/api-error.js';
import { Authenticator } from '#application/key/authenticator.js';

/** Connections that wait for news, in this process. */
const mostFollowers = 1_000;
const mostOfTenant = 100;
/** How long one client may follow. After that it connects again, and its key is checked again. */
const longestMs = 5 * 60_000;
/** How long a client may take to read sent data before its connection is cut. */
const graceMs = 2_000;
/** How often the key is checked, so that a follower ends within a second of its key's revocation. */
const keyCheckMs = 500;

export interface Follower {
  /** Aborts when the client goes, its key is revoked, its time is over, or this process stops. */
  readonly signal: AbortSignal;
  leave(): void;
}

/**
 * Clients that keep a connection open to wait for events of a job. Each costs memory, so their number is
 * limited.
 */
@Injectable()
export class Followers implements OnModuleDestroy {
  private readonly all = new Set<Follower & { readonly owner: string; readonly reply: FastifyReply }>();

  constructor(private readonly keys: Authenticator) {}

  /** A server that stops does not wait for jobs to end. Their followers reconnect to another server. */
  onModuleDestroy(): void {
    for (const { reply, leave } of this.all) {
      // Without this header the connection stays open for the client's next request, and the server cannot
      // close.
      if (!reply.raw.headersSent) void reply.header('connection', 'close');
      leave();
    }
  }

  /** @throws ApiError 429 when the tenant has reached its limit of followers, 503 when this process has */
  admit({ environment, tenant }: Caller, request: FastifyRequest, reply: FastifyReply): Follower {
    const owner = `${environment}.${tenant}`;
    const ofTenant = [...this.all].filter((each) => each.owner === owner).length;
    if (ofTenant >= mostOfTenant) throw tooMany('RATE_LIMITED', `You have ${ofTenant} of them.`);
    if (this.all.size >= mostFollowers) throw tooMany('SERVICE_UNAVAILABLE', 'This server has many of them.');

    const over = new AbortController();
    const { raw } = reply;
    const leave = () => {
      if (!this.all.delete(follower)) return;
      clearTimeout(longest);
      clearInterval(checks);
      raw.off('close', leave);
      over.abort();
      if (raw.destroyed) return;
      // Without this, a client that does not read would hold its connection for ever, and the server could not
      // stop.
      const cut = setTimeout(() => raw.destroy(), graceMs);
      raw.once('close', () => clearTimeout(cut));
    };
    const longest = setTimeout(leave, longestMs);
    const checks = setInterval(() => void this.leaveIfRevoked(request, leave), keyCheckMs);
    const follower = { owner, signal: over.signal, leave, reply };
    this.all.add(follower);
    raw.once('close', leave);
    return follower;
  }

  /** If the store does not answer now, the follower stays, because the next check comes soon. */
  private async leaveIfRevoked(request: FastifyRequest, leave: () => void): Promise<void> {
    const key = bearerKeyOf(request) ?? '';
    const caller = await this.keys.authenticate(key).catch(() => 'unknown');
    if (caller === undefined) leave();
  }
}

function tooMany(code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE', why: string): ApiError {
  const message = `Too many connections are waiting for events of jobs. ${why} Poll without \`wait\`, or try again soon.`;
  return new ApiError(code, message, { headers: { 'retry-after': '2' } });
}
