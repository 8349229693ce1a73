import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Provider } from 'oidc-provider';
import { freePort } from '#platform/embedded-postgres.js';
import { ApiService } from '../../../test/api/support/api-service.js';
import type { Json } from '../../../test/api/support/api-client.js';
import { AdminService } from '../../../test/admin/support.js';

/** The organisation's claims about its people. */
const people: Record<string, Json> = {
  ada: { email: 'Ada@maison.example', email_verified: true, groups: ['everybody', 'atelier-admins'] },
  bea: { email: 'bea@maison.example', email_verified: true, groups: ['everybody'] },
  eve: { email: 'ada@maison.example', email_verified: false, groups: ['atelier-admins'] },
  zoe: { email: 'ada@maison.example', email_verified: 'false', groups: ['atelier-admins'] },
  ian: { email: 'ada@maison.example', groups: ['atelier-admins'] },
  tom: { email: 'tom@maison.example', email_verified: true, groups: ['shop'] },
};

let service: ApiService;
let admin: AdminService;
let organisation: Server;
let issuer: string;
let root: string;

beforeAll(async () => {
  service = await ApiService.start();
  const port = await freePort();
  const adminUrl = `http://127.0.0.1:${port}`;
  organisation = await openOrganisation(`${adminUrl}/admin/v1/login/organisation/callback`);
  const variables = {
    ATELIER_ADMIN_PUBLIC_URL: adminUrl,
    ATELIER_OIDC_ISSUER: issuer,
    ATELIER_OIDC_CLIENT_ID: 'atelier',
    ATELIER_OIDC_CLIENT_SECRET: 'a secret of tests',
    ATELIER_OIDC_ROLES: 'atelier-admins=admin, shop=support',
  };
  admin = await AdminService.start(service.databaseUrl, { variables, port });
  root = await admin.token('root', 'admin');
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  organisation.closeAllConnections();
  organisation.close();
  await service[Symbol.asyncDispose]();
});

/** A provider of the organisation's login, on loopback. */
async function openOrganisation(callback: string): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // It warns about settings that a provider in production needs.
  for (const level of ['warn', 'info'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'atelier', client_secret: 'a secret of tests', redirect_uris: [callback] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    cookies: { keys: ['a key of tests'] },
    pkce: { required: () => true },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/token' && forge) changeAnswer(response, forge);
    void answer(request, response);
  });
  return server;
}

/** Makes another ID token out of the organisation's. */
type Forgery = (header: Json, claims: Json) => string;
let forge: Forgery | undefined;

const part = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url');
const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const forgeries: Record<string, Forgery> = {
  none: (header, claims) => `${part({ ...header, alg: 'none' })}.${part(claims)}.`,
  'of the client secret': (header, claims) => {
    const signed = `${part({ ...header, alg: 'HS256' })}.${part(claims)}`;
    return `${signed}.${createHmac('sha256', 'a secret of tests').update(signed).digest('base64url')}`;
  },
  'of another key': (header, claims) => {
    const signed = `${part(header)}.${part(claims)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), foreignKey).toString('base64url')}`;
  },
};

function changeAnswer(response: ServerResponse, change: Forgery): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  response.end = ((body: string | Buffer) => {
    const told: Json = JSON.parse(String(body));
    const [header, claims] = (told.id_token as string)
      .split('.')
      .slice(0, 2)
      .map((each) => JSON.parse(Buffer.from(each, 'base64url').toString()));
    told.id_token = change(header, { ...claims, ...people['ada'] });
    const changed = JSON.stringify(told);
    response.setHeader('content-length', Buffer.byteLength(changed));
    return end(changed);
  }) as typeof response.end;
}

/** The parts of a browser that a login needs: it keeps cookies by host and path, and follows redirects. */
class Browser {
  private readonly jar = new Map<string, Map<string, string>>();

  cookiesFor(url: URL): string {
    return [...(this.jar.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async go(url: URL, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: this.cookiesFor(url) },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    const kept = this.jar.get(url.host) ?? new Map<string, string>();
    this.jar.set(url.host, kept);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') kept.delete(name);
      else kept.set(name, value);
    }
    return response;
  }

  /** Logs in as this person at the organisation. @returns the address with which the browser is sent back */
  async logInAs(who: string): Promise<URL> {
    let url = new URL(`${admin.url}/admin/v1/login/organisation`);
    for (let steps = 0; steps < 20; steps++) {
      const response = await this.go(url);
      const location = response.headers.get('location');
      if (location !== null) {
        url = new URL(location, url);
        if (url.pathname.endsWith('/callback')) return url;
        continue;
      }
      // The provider wants a login, and then the person's consent.
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login';
      const answered = await this.go(url, { prompt, login: who, password: 'any' });
      url = new URL(answered.headers.get('location') ?? '', url);
    }
    throw new Error('the login did not come to an end');
  }
}

let browser: Browser;
beforeEach(() => {
  browser = new Browser();
});

/** Does the whole login. @returns the address where the browser ends up */
async function logIn(who: string, as = browser): Promise<string> {
  const response = await as.go(await as.logInAs(who));
  return response.headers.get('location') ?? '';
}

const ask = (route: string, body?: object, as = browser) =>
  admin.ask(route, undefined, body, {
    cookie: as.cookiesFor(new URL(admin.url)),
    'sec-fetch-site': 'same-origin',
  });

describe("the organisation's login", () => {
  it('is told to who wants to log in', async () => {
    const { body } = await admin.ask('GET /login', undefined);
    expect(body).toEqual({ organisation: '/admin/v1/login/organisation' });
  });

  it('opens a session for its people, in their name and with the role that it gives them', async () => {
    expect(await logIn('ada')).toBe(`${admin.url}/console`);
    expect((await ask('GET /session')).body).toMatchObject({ name: 'ada@maison.example', role: 'admin' });
    expect((await ask('POST /tenants', { name: 'Maison', credits: 1 })).status).toBe(200);
    const { body } = await ask('GET /actions?by=ada@maison.example');
    const done = body.actions.map(({ action, input }: Json) => [action, input.via]);
    expect(done).toEqual([
      ['tenants create', undefined],
      ['session begin', 'organisation'],
    ]);
    const { operators } = (await ask('GET /operators')).body;
    expect(operators).toContainEqual(
      expect.objectContaining({ name: 'ada@maison.example', login: 'organisation', status: 'active' }),
    );
  });

  it('lets nobody in to whom neither it nor an operator has given a role', async () => {
    expect(await logIn('bea')).toBe(`${admin.url}/console?login=refused`);
    expect((await ask('GET /session')).status).toBe(401);
    const added = await admin.ask('POST /operators', root, {
      name: 'bea@maison.example',
      role: 'read',
      token: false,
    });
    expect(added.status).toBe(200);
    expect(await logIn('bea')).toBe(`${admin.url}/console`);
    expect((await ask('GET /session')).body).toMatchObject({ name: 'bea@maison.example', role: 'read' });
  });

  it.each(['eve', 'zoe', 'ian'])('makes nobody out of an address that is not verified: %s', async (who) => {
    expect(await logIn(who)).toBe(`${admin.url}/console?login=refused`);
  });

  it.each(Object.keys(forgeries))('believes no ID token with the signature %s', async (name) => {
    forge = forgeries[name];
    try {
      expect(await logIn('bea')).toBe(`${admin.url}/console?login=refused`);
      expect((await ask('GET /session')).status).toBe(401);
    } finally {
      forge = undefined;
    }
  });

  it('keeps those out whom an operator has revoked, and ends their session', async () => {
    expect(await logIn('tom')).toBe(`${admin.url}/console`);
    expect((await ask('POST /tenants', { name: 'Maison', credits: 1 })).status).toBe(403);
    await admin.ask('POST /operators/tom@maison.example/revoke', root, {});
    expect((await ask('GET /session')).status).toBe(401);
    expect(await logIn('tom')).toBe(`${admin.url}/console?login=refused`);
  });

  it('gives nobody the name of an operator with a token', async () => {
    people['mallory'] = { email: 'root', email_verified: true, groups: ['atelier-admins'] };
    expect(await logIn('mallory')).toBe(`${admin.url}/console?login=refused`);
  });

  it('is good in the browser that began it, and once', async () => {
    const back = await browser.logInAs('ada');
    const refused = `${admin.url}/console?login=refused`;
    const other = new Browser();
    // Another person may catch the address, or send it to a victim to log them in.
    expect((await other.go(back)).headers.get('location')).toBe(refused);
    expect((await ask('GET /session', undefined, other)).status).toBe(401);
    expect((await browser.go(back)).headers.get('location')).toBe(`${admin.url}/console`);
    expect((await browser.go(back)).headers.get('location')).toBe(refused);
  });

  it.each([
    ['state', (url: URL) => url.searchParams.set('state', 'another')],
    ['code', (url: URL) => url.searchParams.set('code', 'another')],
    ['issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
  ])('is refused with another %s', async (_what, change) => {
    const back = await browser.logInAs('ada');
    change(back);
    expect((await browser.go(back)).headers.get('location')).toBe(`${admin.url}/console?login=refused`);
    expect((await ask('GET /session')).status).toBe(401);
  });
});
