import type { OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/caller.js';
import { ApiError } from '../errors/api-error.js';

export interface FollowerLimits {
  /** Connections that wait for news, in this process. */
  readonly all: number;
  readonly ofTenant: number;
  /** For one of them: then the client comes again, and its key is looked at again. */
  readonly longestMs: number;
  /** For the client to read what it was sent before its connection is cut. */
  readonly graceMs: number;
}

export const defaultFollowerLimits: FollowerLimits = {
  all: 1_000,
  ofTenant: 100,
  longestMs: 5 * 60_000,
  graceMs: 2_000,
};

export interface Follower {
  /** Aborts when the client goes, its time is over, or this process stops. */
  readonly signal: AbortSignal;
  leave(): void;
}

/** Clients that keep a connection open until there is news of a job. Each costs memory, so they are counted. */
export class Followers implements OnModuleDestroy {
  readonly #all = new Set<Follower & { readonly reply: FastifyReply }>();
  readonly #ofTenants = new Map<string, number>();

  constructor(private readonly limits: FollowerLimits = defaultFollowerLimits) {}

  /** A server that stops does not wait for jobs to end: those who follow them come again elsewhere. */
  onModuleDestroy(): void {
    for (const { reply, leave } of this.#all) {
      // Otherwise the connection is kept for the client's next request, and keeps the server from closing.
      if (!reply.raw.headersSent) void reply.header('connection', 'close');
      leave();
    }
  }

  /** @throws ApiError 429 when the tenant has as many as it may, 503 when this process has */
  admit({ environment, tenant }: Caller, reply: FastifyReply): Follower {
    const owner = `${environment}.${tenant}`;
    const ofTenant = this.#ofTenants.get(owner) ?? 0;
    if (ofTenant >= this.limits.ofTenant) throw tooMany('RATE_LIMITED', `You have ${ofTenant} of them.`);
    if (this.#all.size >= this.limits.all)
      throw tooMany('SERVICE_UNAVAILABLE', 'This server has many of them.');

    const over = new AbortController();
    const { raw } = reply;
    const leave = () => {
      if (!this.#all.delete(follower)) return;
      clearTimeout(longest);
      raw.off('close', leave);
      this.#count(owner, -1);
      over.abort();
      if (raw.destroyed) return;
      // One who does not read would otherwise keep its connection, and a stopping server, for ever.
      const cut = setTimeout(() => raw.destroy(), this.limits.graceMs);
      raw.once('close', () => clearTimeout(cut));
    };
    const longest = setTimeout(leave, this.limits.longestMs);
    const follower = { signal: over.signal, leave, reply };
    this.#all.add(follower);
    this.#count(owner, 1);
    raw.once('close', leave);
    return follower;
  }

  #count(owner: string, change: number): void {
    const count = (this.#ofTenants.get(owner) ?? 0) + change;
    if (count > 0) this.#ofTenants.set(owner, count);
    else this.#ofTenants.delete(owner);
  }
}

function tooMany(code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE', why: string): ApiError {
  const message = `Too many connections wait for news of jobs. ${why} Poll without \`wait\`, or try again soon.`;
  return new ApiError(code, message, { headers: { 'retry-after': '2' } });
}
