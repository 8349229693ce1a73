import Table from 'cli-table3';
import { generateApiKey } from '#application/key/api-key.js';
import { generateOperatorToken } from '#capabilities/sign-in/operator-token.js';
import { dispatchOne } from '../bench/load.js';
import { worstBodies } from './bodies.js';
import { askAndNotRead } from './deaf.js';
import { sendAndLook } from './neighbour.js';

type Role = 'api' | 'admin';

export interface Target {
  readonly url: string;
  readonly adminUrl: string;
  /** One more process of the role, which has done nothing yet. */
  fresh(role: Role): Promise<AsyncDisposable & { readonly url: string; readonly pid: number }>;
  readonly key: string;
  readonly neighboursKey: string;
  /** Paths with their signatures. */
  readonly picture: { readonly whole: string; readonly small: string };
  /** Adds an operator. */
  token(name: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * The accepted growth of memory: a client with a key may have one large unsent list on each of 200 connections.
 */
const mostGrownMb = 150;
const mostP95Ms = 50;

/** Clients that send requests and read no answer. @returns true if the service holds */
export async function attackReaders(target: Target): Promise<boolean> {
  const { url, adminUrl, key, picture } = target;
  const token = await target.token('reader');
  const { job_id: job } = (await (await dispatchOne(url, key)).json()) as { job_id: string };
  const ask = (role: Role, paths: readonly string[], withKey?: string) =>
    paths.map((path) => ({ role, path, key: withKey }));
  const asked = [
    ...ask('api', [
      '/openapi.json',
      '/',
      '/docs',
      '/docs/reference.js',
      '/docs/guides/webhooks',
      '/llms.txt',
    ]),
    ...ask('api', [
      '/docs/guides/webhooks.md',
      '/console',
      await largestAsset(url),
      '/health/ready',
      '/nothing',
    ]),
    ...ask('api', [picture.whole, picture.small]),
    ...ask('api', ['/v1/jobs?limit=200', '/v1/usage?limit=200', '/v1/transactions?limit=200'], key),
    ...ask(
      'api',
      ['/v1/operations', '/v1/image-models', '/v1/garment-categories', `/v1/jobs/${job}/events`],
      key,
    ),
    ...ask('admin', ['/admin/v1/openapi.json', '/console', await largestAsset(adminUrl), '/nothing']),
    ...ask('admin', ['/admin/v1/jobs?limit=200', '/admin/v1/actions', '/admin/v1/now/events'], token),
  ];
  const head = ['clients that do not read', 'sockets', 'requests', 'grown MB', 'cut', 'held'];
  const table = new Table({ head });
  let held = true;
  for (const { role, path, key: withKey } of asked)
    for (const shape of [
      { sockets: 3, requestsEach: 500 },
      { sockets: 200, requestsEach: 8 },
    ]) {
      await using served = await target.fresh(role);
      const attack = { ...served, ...shape, path, key: withKey };
      const { grownMb, stopped, alive, closed } = await askAndNotRead(attack);
      const holds = alive && grownMb < mostGrownMb;
      held &&= holds;
      const grown = alive ? `${stopped ? '> ' : ''}${Math.round(grownMb)}` : 'it died';
      const { sockets, requestsEach } = shape;
      const name = path.replace(/\?expires.*/, '').slice(0, 48);
      table.push([name, sockets, sockets * requestsEach, grown, closed, holds ? 'yes' : 'NO']);
    }
  console.log(table.toString());
  return held;
}

async function largestAsset(url: string): Promise<string> {
  const page = await (await fetch(`${url}/console`)).text();
  return /\/console\/assets\/[\w.-]+\.js/.exec(page)?.[0] ?? '/console';
}

/**
 * Sends bodies that cost much more to refuse than to send, and measures how long another tenant waits
 * meanwhile.
 */
export async function attackBodies(target: Target): Promise<boolean> {
  const { key, neighboursKey } = target;
  await using api = await target.fresh('api');
  const head = ['body', 'bytes', 'route', 'answers', 'CPU ms each', "neighbour's p95 ms", 'max ms', 'held'];
  const table = new Table({ head });
  const send = async (name: string, path: string, body: string, mostMs: number): Promise<number> => {
    const attack = { ...api, path, key, body, neighboursKey, requests: 600, forMs: 2_000 };
    const { p95Ms, maxMs, cpuMs, answered } = await sendAndLook(attack);
    const answers = Object.entries(answered).map(([status, count]) => `${count}× ${status}`);
    const figures = [answers.join(', '), ...[cpuMs, p95Ms, maxMs].map((value) => value.toFixed(1))];
    table.push([name, Buffer.byteLength(body), path, ...figures, p95Ms < mostMs ? 'yes' : 'NO']);
    return p95Ms;
  };
  const small = '{"seed":"x"}';
  await send('to warm up', '/v1/model-generator', small, Infinity);
  // Four clients with a small body set the usual latency of a neighbour. On a busy machine the bound is three
  // times that latency.
  const usual = await send('a wrong field', '/v1/model-generator', small, Infinity);
  const mostMs = Math.max(mostP95Ms, 3 * usual);
  let worst = 0;
  for (const bytes of [1_000_000, 640_000, 128_000])
    for (const [name, body] of Object.entries(worstBodies(bytes)))
      for (const path of routesFor(name)) worst = Math.max(worst, await send(name, path, body, mostMs));
  console.log(table.toString());
  return worst < mostMs;
}

function routesFor(name: string): string[] {
  if (name.includes('items')) return ['/v1/look'];
  if (name.includes('groups') || name.includes('photos')) return ['/v1/pdp-batch-extractions'];
  return ['/v1/model-generator', '/v1/pdp-batch-extractions'];
}

/** Sends wrong keys and tokens from one address, then a right one that the service has not seen before. */
export async function attackGuesses(target: Target): Promise<boolean> {
  const { url, adminUrl, neighboursKey } = target;
  const table = new Table({ head: ['guesses', 'answers', 'a good one, not seen before', 'held'] });
  let held = true;
  const doors = [
    { name: 'operators, any text', path: '/admin/v1/runs', guess: () => 'op_eve_nonsense' },
    { name: 'operators, well-formed', path: '/admin/v1/runs', guess: () => generateOperatorToken('ada') },
    { name: 'keys, any text', path: '/v1/credits', guess: () => 'sk_live_nonsense' },
    { name: 'keys, well-formed', path: '/v1/credits', guess: () => generateApiKey('live').key },
  ];
  for (const [index, { name, path, guess }] of doors.entries()) {
    const isAdmin = path.startsWith('/admin');
    const answers: Record<number, number> = {};
    for (let tried = 0; tried < 700; tried++) {
      const status = await statusOf((isAdmin ? adminUrl : url) + path, guess());
      answers[status] = (answers[status] ?? 0) + 1;
    }
    const good = isAdmin ? await target.token(`good${index}`) : neighboursKey;
    const status = await statusOf((isAdmin ? adminUrl : url) + path, good);
    held &&= status === 200;
    const told = Object.entries(answers).map(([code, count]) => `${count}× ${code}`);
    table.push([name, told.join(', '), status, status === 200 ? 'yes' : 'NO']);
  }
  console.log(table.toString());
  return held;
}

async function statusOf(url: string, token: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}
