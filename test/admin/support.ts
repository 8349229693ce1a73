import { expect } from 'vitest';
import { testMasterKey, testSigningKey } from '../support/signing-key.js';
import { AddOperator } from '#capabilities/sign-in/manage-operators.handler.js';
import { installation } from '#application/command-context.js';
import { OperatorSignIn } from '#capabilities/sign-in/operator-sign-in.js';
import type { OperatorRole } from '#operator-calls/operator-role.js';
import { systemClock, type Clock } from '#platform/clock.js';
import { loadConfiguration } from '#platform/configuration.js';
import { ConsoleFiles } from '#platform/console-files.js';
import { createLogger } from '#platform/logger.js';
import type { Json } from '../api/support/api-client.js';
import { openWorld } from '../api/support/world.js';
import { untilEnd } from '../support/until-end.js';
import { eventually } from '../support/eventually.js';
import { InterfaceDescription, type Exchange } from '../support/interface-description.js';
import { calls, features } from '#capabilities/operate/calls.js';
import { ConnectedOperator } from '#capabilities/operate/connected-operator.js';
import { pictureOrigins } from '#capabilities/operate/pictures/pictures.js';
import { AdminServer } from '#capabilities/operate/server/admin-server.js';

export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

/** Lines of JSON become a list; text that is not JSON stays text. */
function bodyOf(text: string, type: string): Json {
  if (type.startsWith('application/json')) return JSON.parse(text);
  if (!type.startsWith('application/x-ndjson')) return text;
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const description = InterfaceDescription.committed('openapi-admin.json');

/**
 * The operators' API in this process, with a database of its own and a real socket. Every answer is checked
 * against openapi-admin.json.
 */
export class AdminService implements AsyncDisposable {
  private constructor(
    readonly operator: ConnectedOperator,
    readonly server: AdminServer,
    readonly url: string,
  ) {}

  static async start(
    databaseUrl: string,
    {
      failuresPerMin = 10_000,
      clock = systemClock,
      port: wanted = 0,
      variables = {},
    }: { failuresPerMin?: number; clock?: Clock; port?: number; variables?: Record<string, string> } = {},
  ): Promise<AdminService> {
    const settings = {
      DATABASE_URL: databaseUrl,
      URL_SIGNING_SECRET: 'for tests only',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
      ATELIER_UNSIGNED_PICTURES: 'accept',
      ...variables,
    };
    const configuration = loadConfiguration(settings);
    const operator = await ConnectedOperator.serve(configuration, features);
    const server = new AdminServer({
      operator,
      calls,
      signIn: (parts) => new OperatorSignIn(parts),
      failuresPerMin,
      clock,
      logger: createLogger('test', 'silent'),
      description: () => Promise.resolve('{}'),
      console: new ConsoleFiles('operator', await pictureOrigins(operator)),
    });
    const port = await server.listen(wanted, '127.0.0.1');
    return new AdminService(operator, server, `http://127.0.0.1:${port}`);
  }

  /** Adds an operator. @returns the token */
  async token(name: string, role: OperatorRole, validMs = 3_600_000): Promise<string> {
    const context = this.operator.context('live', installation);
    const expiresAt = new Date(Date.now() + validMs);
    const added = await this.operator.execute(new AddOperator(context, { name, role, expiresAt }));
    if (added.kind === 'rejected' || !added.token) throw new Error(`${name} was not added`);
    return added.token;
  }

  async ask(
    route: string,
    token: string | undefined,
    body?: object,
    headers: Record<string, string> = {},
    url = this.url,
  ): Promise<Answer> {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(`${url}/admin/v1${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { status, headers: answered } = response;
    const answer = bodyOf(await response.text(), answered.get('content-type') ?? '');
    const json = body && Object.keys(body).length > 0 ? body : undefined;
    this.judge({ method, path: `/admin/v1${path}`, json, status, headers: answered, body: answer });
    return { status, body: answer, headers: answered };
  }

  /** Yields the data of server-sent events until the caller stops reading. */
  async *follow(path: string, token: string): AsyncGenerator<Json> {
    const { status, headers, body } = await fetch(`${this.url}/admin/v1${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (status !== 200 || !body) throw new Error(`GET ${path} → ${status}`);
    let rest = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const [last = '', ...blocks] = (rest + chunk).split('\n\n').reverse();
      rest = last;
      for (const block of blocks.reverse()) {
        this.judge({ method: 'GET', path: `/admin/v1${path}`, status, headers, body: block });
        yield JSON.parse(block.slice('data: '.length));
      }
    }
  }

  private judge(exchange: Omit<Exchange, 'contentType'>): void {
    const problems = description.problemsOf({
      ...exchange,
      contentType: exchange.headers.get('content-type'),
    });
    const { method, path, status } = exchange;
    if (problems.length > 0)
      throw new Error(
        `${method} ${path} → ${status} is not what openapi-admin.json says:\n${problems.join('\n')}`,
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.operator[Symbol.asyncDispose]();
  }
}

/** A service with a tenant, and the operators' API beside it with an administrator, for the specs of one file. */
export async function openOffice(variables: Record<string, string> = {}) {
  const { service, api, tenant } = await openWorld();
  const admin = untilEnd(await AdminService.start(service.databaseUrl, { variables }));
  /** Waits until a run has ended. */
  const endOf = (run: string, token: string): Promise<Json> =>
    eventually(async () => {
      const { body } = await admin.ask(`GET /runs/${run}`, token);
      return body.state !== 'running' && body;
    });
  /** Dispatches a job of 5 credits. @returns the answer to the caller */
  const dispatch = async (): Promise<Json> => {
    const { status, body } = await api.post('/v1/model-generator', tenant.key, order);
    expect(status).toBe(202);
    return body;
  };
  return { service, api, tenant, admin, token: await admin.token('ada', 'admin'), endOf, dispatch };
}

/** The body of each dispatch of an office. */
export const order = {
  gender: 'FEMALE',
  ethnicity: 'east_african',
  body_type: 'athletic',
  age_range: '26-30',
} as const;
