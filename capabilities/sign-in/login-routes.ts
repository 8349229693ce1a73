import type { FastifyInstance, FastifyRequest } from 'fastify';
import { installation } from '#application/command-context.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { SignInParts } from '#operator-calls/sign-in.js';
import { WelcomeOperator } from './manage-operators.handler.js';
import type { LoggedIn, OidcLogin } from './oidc-login.js';
import type { AddedOperator } from './operator.js';
import { sessionMs, type Sessions } from './sessions.js';

/** The parts that the login needs beside those of the server. */
export interface Door extends SignInParts {
  readonly sessions: Sessions;
  /** @throws CallRefused for a request with neither a valid token nor the cookie of a session */
  letIn(request: FastifyRequest): Promise<AddedOperator>;
  /** Counts an attempt from an address. @throws CallRefused after too many */
  count(request: FastifyRequest): void;
}

/** Records it in the same way as calls that change something. */
function record(
  door: Door,
  action: 'session begin' | 'session end',
  name: string,
  request: FastifyRequest,
  input: { readonly via: string },
): Promise<unknown> {
  return door.record(door.inTheNameOf(name, request), action, input);
}

/**
 * Logs browsers in and out. The server exchanges a token for a session, so that no page has to keep the token.
 */
export function serveSession(server: FastifyInstance, door: Door): void {
  const url = '/admin/v1/session';
  const { sessions } = door;
  server.post(url, async (request, reply) => {
    const operator = await door.letIn(request);
    await record(door, 'session begin', operator.name, request, { via: 'token' });
    const { expiresAt } = sessions.begin(reply, operator.name);
    return reply.send(describe(operator, expiresAt));
  });
  server.get(url, async (request, reply) =>
    reply.send(describe(await door.letIn(request), sessions.of(request)?.expiresAt)),
  );
  server.delete(url, async (request, reply) => {
    const operator = await door.letIn(request);
    sessions.end(request, reply);
    await record(door, 'session end', operator.name, request, { via: 'console' });
    return reply.send(describe(operator, undefined));
  });
}

function describe({ name, role, expiresAt: until }: AddedOperator, sessionEnds: Date | undefined) {
  return { name, role, expires_at: until, session_expires_at: sessionEnds ?? null };
}

const base = '/admin/v1/login';
const way = `${base}/organisation`;
const cookie = 'atelier-login';

/** Sends browsers to the organisation's login, if there is one, and from there back to the console. */
export function serveLogin(server: FastifyInstance, door: Door): void {
  const { oidc, publicUrl = '' } = door.operator.configuration.admin;
  server.get(base, () => Promise.resolve({ organisation: oidc ? way : null }));
  if (!oidc) return;
  let login: Promise<OidcLogin> | undefined;
  // The libraries load with the first such login.
  const provider = () =>
    (login ??= import('./oidc-login.js').then(
      ({ OidcLogin: Login }) => new Login(oidc, `${publicUrl}${way}/callback`),
    ));
  // Lax, because the browser comes back from another site.
  const secure = door.sessions.isSecure;
  const ofCookie = { path: base, httpOnly: true, secure, sameSite: 'lax' as const };
  server.get(way, async (request, reply) => {
    door.count(request);
    const begun = await (await provider()).begin();
    return reply
      .setCookie(cookie, begun.id, { ...ofCookie, maxAge: begun.keepForMs / 1000 })
      .redirect(begun.url.href, 303);
  });
  server.get(`${way}/callback`, async (request, reply) => {
    void reply.clearCookie(cookie, ofCookie);
    try {
      const query = request.url.slice(request.url.indexOf('?'));
      const person = await (await provider()).finish(request.cookies[cookie], query);
      await welcome(door, request, person);
      await record(door, 'session begin', person.name, request, { via: 'organisation' });
      door.sessions.begin(reply, person.name);
    } catch (error) {
      // The log gives the reason. The person only learns that they were not let in.
      door.logger.warn({ requestId: request.id, err: error }, 'a login of the organisation was refused');
      return reply.redirect(`${publicUrl}/console?login=refused`, 303);
    }
    return reply.redirect(`${publicUrl}/console`, 303);
  });
}

/** @throws CallRefused for a person who has no role here, or was revoked */
async function welcome(door: Door, request: FastifyRequest, { name, role }: LoggedIn): Promise<void> {
  const acting = door.inTheNameOf(name, request);
  const expiresAt = new Date(door.clock().getTime() + sessionMs);
  const context = acting.context('live', installation);
  const welcomed = await acting.execute(new WelcomeOperator(context, { name, role, expiresAt }));
  if (welcomed.kind === 'rejected')
    throw new CallRefused(`${name} is not let in: ${welcomed.rejection.code}`, 'UNAUTHENTICATED');
}
