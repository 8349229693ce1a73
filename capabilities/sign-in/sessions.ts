import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { Clock } from '#platform/clock.js';
import { hashOperatorToken } from './operator-token.js';

/** A working day: for longer work, people log in again. */
export const sessionMs = 8 * 3_600_000;

interface Session {
  readonly name: string;
  readonly expiresAt: Date;
}

/**
 * The operators who are logged in with a browser. A session begins with an operator's token, or with the login
 * of the organisation. It ends after eight hours, when its operator ends it, or with this process: it is kept
 * in memory only, under the hash of the cookie's value. Each request checks anew what its operator may do.
 */
export class Sessions {
  private readonly sessions = new LRUCache<string, Session>({ max: 10_000 });
  readonly isSecure: boolean;
  private readonly cookie: string;
  private readonly ofCookie;

  /** @param publicUrl the address at which browsers reach the server */
  constructor(
    private readonly clock: Clock,
    private readonly publicUrl: string | undefined,
  ) {
    this.isSecure = publicUrl?.startsWith('https:') ?? false;
    // The prefix makes browsers refuse it from other hosts and without TLS.
    this.cookie = this.isSecure ? '__Host-atelier-operator' : 'atelier-operator';
    this.ofCookie = { path: '/', httpOnly: true, secure: this.isSecure, sameSite: 'strict' } as const;
  }

  begin(reply: FastifyReply, name: string): Session {
    const secret = randomBytes(32).toString('base64url');
    const session = { name, expiresAt: new Date(this.clock().getTime() + sessionMs) };
    this.sessions.set(hashOperatorToken(secret), session);
    void reply.setCookie(this.cookie, secret, { ...this.ofCookie, maxAge: sessionMs / 1000 });
    return session;
  }

  /**
   * The session of a request; undefined: none.
   * @throws CallRefused for a request that another site may have made
   */
  of(request: FastifyRequest): Session | undefined {
    const secret = request.cookies[this.cookie];
    if (secret === undefined) return undefined;
    this.requireOwnPage(request);
    const session = this.sessions.get(hashOperatorToken(secret));
    return session && session.expiresAt > this.clock() ? session : undefined;
  }

  end(request: FastifyRequest, reply: FastifyReply): void {
    const secret = request.cookies[this.cookie];
    if (secret !== undefined) this.sessions.delete(hashOperatorToken(secret));
    void reply.clearCookie(this.cookie, this.ofCookie);
  }

  /**
   * A browser sends the cookie with every request that a page of the same site makes. It names the page in
   * Sec-Fetch-Site, and an older browser names it in Origin. A request with neither comes from no page of ours.
   */
  private requireOwnPage({ method, headers }: FastifyRequest): void {
    const isLook = method === 'GET' || method === 'HEAD';
    const site = headers['sec-fetch-site'];
    const isOwn =
      site === undefined
        ? isLook || this.isOwnOrigin(headers.origin, headers.host)
        : site === 'same-origin' || (isLook && site === 'none');
    if (isOwn) return;
    throw new CallRefused(
      'this request comes from a site other than the console, or does not name its site: nothing was done',
      'FOREIGN_ORIGIN',
    );
  }

  private isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
    // Behind a proxy, only the setting knows the scheme that browsers use.
    const own = this.publicUrl ?? `http://${host ?? ''}`;
    return origin !== undefined && URL.canParse(own) && origin === new URL(own).origin;
  }
}
