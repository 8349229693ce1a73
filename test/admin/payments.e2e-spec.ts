import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiService } from '../api/support/api-service.js';
import { runCommand } from '../support/command.js';
import { startRole, type RoleProcess } from '../support/role-process.js';
import { AdminService, type Answer } from './support.js';

let service: ApiService;
let admin: AdminService;
let processes: RoleProcess[];
let ada: string;
let bob: string;
let tenant: string;
const limit = 10_000;

beforeAll(async () => {
  service = await ApiService.start();
  const settings = { ATELIER_SECOND_OPERATOR_ABOVE: String(limit) };
  admin = await AdminService.start(service.databaseUrl, { variables: settings });
  ada = await admin.token('ada', 'finance');
  bob = await admin.token('bob', 'finance');
  const start = () =>
    startRole('capabilities/operate/server/main.js', {
      DATABASE_URL: service.databaseUrl,
      URL_SIGNING_SECRET: 'x',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_ADMIN_PORT: '0',
      ...settings,
    });
  processes = await Promise.all([start(), start()]);
  const made = await admin.ask('POST /tenants', ada, { name: 'Maison', credits: 0 });
  tenant = made.body.tenant_id;
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await admin[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const payment = { env: 'live', amount: 500, kind: 'pack', label: 'Invoice 17', reference: 'pay_17' };

async function balance(): Promise<number> {
  const { body } = await admin.ask(`GET /tenants/${tenant}`, ada);
  return body.balances.live;
}

const post = (port: unknown, key: string, body: object): Promise<Answer> =>
  askAt(`http://127.0.0.1:${String(port)}`, key, body);

async function askAt(url: string, key: string, body: object): Promise<Answer> {
  const response = await fetch(`${url}/admin/v1/tenants/${tenant}/credits`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ada}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

describe('a payment', () => {
  it('that two processes deliver five times at once is credited once, whatever keys it comes with', async () => {
    const deliveries = ['a', 'a', 'b', 'c', 'c'].map((key, place) =>
      post(processes[place % 2]?.ready['port'], `delivery-${key}`, payment),
    );
    const answers = await Promise.all(deliveries);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.filter(({ body }) => !body.replayed)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.grant_id)).size).toBe(1);
    expect(await balance()).toBe(500);
    const { body } = await post(processes[1]?.ready['port'], 'much later', payment);
    expect(body).toMatchObject({ status: 'credited', replayed: true, balance: 500 });
  });

  it('is not another payment: the same reference with other credits, or for another tenant, is refused', async () => {
    const other = await admin.ask('POST /tenants', ada, { name: 'Other', credits: 0 });
    const more = await askAt(admin.url, 'more', { ...payment, amount: 900 });
    expect(more).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } });
    const elsewhere = await admin.ask(`POST /tenants/${other.body.tenant_id}/credits`, ada, payment, {
      'idempotency-key': 'elsewhere',
    });
    expect(elsewhere.status).toBe(422);
    expect(await balance()).toBe(500);
  });

  it('without a reference is credited once for each Idempotency-Key, and not at all without one', async () => {
    const { reference: _reference, ...plain } = payment;
    const answers = await Promise.all([1, 2, 3].map(() => askAt(admin.url, 'plain-1', plain)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await askAt(admin.url, 'plain-2', plain)).status).toBe(200);
    expect((await askAt(admin.url, 'plain-2', { ...plain, amount: 7 })).body.error.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    expect((await askAt(admin.url, '', plain)).status).toBe(422);
    expect(await balance()).toBe(1_500);
  });

  it('above the limit is proposed, and credited when another operator approves it', async () => {
    const large = { ...payment, amount: limit + 1, reference: 'pay_18' };
    const { body } = await askAt(admin.url, 'large', large);
    expect(body).toMatchObject({ status: 'proposed', balance: 1_500 });
    const approve = (token: string) =>
      admin.ask(`POST /grants/${body.grant_id}/approve`, token, { env: 'live' });
    expect(await approve(ada)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('another operator') } },
    });
    expect(await balance()).toBe(1_500);
    const approved = await Promise.all([approve(bob), approve(bob)]);
    expect(approved.map(({ status }) => status)).toEqual([200, 200]);
    expect(await balance()).toBe(1_500 + limit + 1);
    const created = await admin.ask('POST /tenants', ada, { name: 'Rich', credits: limit + 1 });
    expect(created.status).toBe(409);
    const { body: open } = await admin.ask('GET /grants?status=proposed', bob);
    expect(open.grants).toEqual([]);
  });

  it('that was declined stays so', async () => {
    const large = { ...payment, amount: limit + 2, reference: 'pay_19' };
    const { body } = await askAt(admin.url, 'declined', large);
    const decline = await admin.ask(`POST /grants/${body.grant_id}/decline`, bob, {
      env: 'live',
      reason: 'not ours',
    });
    expect(decline.body.status).toBe('declined');
    const before = await balance();
    expect((await askAt(admin.url, 'again', large)).status).toBe(409);
    const approve = await admin.ask(`POST /grants/${body.grant_id}/approve`, bob, { env: 'live' });
    expect(approve.status).toBe(409);
    expect(await balance()).toBe(before);
  });
});

describe('a tenant', () => {
  it('that a provisioning script asks for again and again is made once, with its credits', async () => {
    const order = { name: 'Maison Deux', credits: 70 };
    const ask = (url: string, key: string, body: object = order) =>
      admin.ask('POST /tenants', ada, body, { 'idempotency-key': key }, url);
    const urls = processes.map(({ ready }) => `http://127.0.0.1:${String(ready['port'])}`);
    const made = await Promise.all([...urls, ...urls, ...urls].map((url) => ask(url, 'order 7')));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
    expect(new Set(made.map(({ body }) => body.tenant_id)).size).toBe(1);
    const later = await ask(admin.url, 'order 7');
    expect(later.body).toMatchObject({ tenant_id: made[0]?.body.tenant_id, replayed: true });
    const { body } = await admin.ask(`GET /tenants/${later.body.tenant_id}`, ada);
    expect(body.balances).toEqual({ live: 70, test: 70 });
    const another = await ask(admin.url, 'order 7', { ...order, credits: 71 });
    expect(another).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } });
    expect((await ask(admin.url, 'order 8')).body.tenant_id).not.toBe(later.body.tenant_id);
  });
});

describe('the audit', () => {
  it('finds nothing wrong with all of this', async () => {
    const audit = await command('ledger', 'audit');
    expect(audit.stdout).toMatch(/All hold\.\n$/);
  });
});

describe('a correction', () => {
  it('takes credits back once for each key, shows in the ledger, and never goes below 0', async () => {
    const made = await admin.ask('POST /tenants', ada, { name: 'Twice', credits: 1_000 });
    const id: string = made.body.tenant_id;
    const correct = (key: string, amount: number) =>
      admin.ask(
        `POST /tenants/${id}/corrections`,
        ada,
        { env: 'live', amount, reason: 'granted twice' },
        { 'idempotency-key': key },
      );
    const twice = await Promise.all([correct('c1', 100), correct('c1', 100)]);
    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
    expect(twice.map((answer) => answer.body.balance)).toEqual([900, 900]);
    const beyond = await correct('c2', 901);
    expect(beyond).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('the balance is 900') } },
    });
    const audit = await command('ledger', 'audit', '--tenant', id);
    expect(audit).toMatchObject({ code: 0 });
    const { stdout } = await command('ledger', 'show', '--tenant', id, '--env', 'live', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      accounts: [
        {
          balance: 900,
          movements: expect.arrayContaining([
            expect.objectContaining({ kind: 'correction', credits_delta: -100, label: 'granted twice' }),
          ]),
        },
      ],
    });
  });
});

function command(...args: string[]) {
  const settings = {
    DATABASE_URL: service.databaseUrl,
    URL_SIGNING_SECRET: 'x',
    ATELIER_SIGNING_KEY: testSigningKey,
  };
  return runCommand(args, service.folder, { env: settings });
}

describe('the command', () => {
  const api = () => ({
    DATABASE_URL: service.databaseUrl,
    URL_SIGNING_SECRET: 'x',
    ATELIER_SIGNING_KEY: testSigningKey,
    ATELIER_OPERATOR: 'carol',
    ATELIER_ADMIN_URL: admin.url,
    ATELIER_OPERATOR_TOKEN: ada,
  });
  const run = (args: string[]) => runCommand(args, service.folder, { env: api() });

  it.each([
    [['tenants', 'list']],
    [['tenants', 'show', 'TENANT']],
    [['keys', 'list', '--tenant', 'TENANT']],
    [['credits', 'grants']],
    [['operators', 'list']],
    [['tenants', 'suspend', 'TENANT', '--env', 'test']],
    [['tenants', 'reactivate', 'TENANT', '--env', 'test']],
    [['tenants', 'plan', 'TENANT', '--daily-cap', '50']],
    [['tenants', 'plan', 'TENANT']],
    [['tenants', 'show', '01K9Z7J0V4M2Q8T6R3N5B1C7DE']],
  ])('says the same as a client of the API and on the database alone: %j', async (words) => {
    const args = words.map((word) => (word === 'TENANT' ? tenant : word));
    for (const form of [args, [...args, '--json']]) {
      const asClient = await run(form);
      const direct = await run([...form, '--direct']);
      expect(asClient).toEqual(direct);
    }
  });

  it('is written down with the name of the person at the terminal', async () => {
    await run(['tenants', 'suspend', tenant, '--direct']);
    await run(['tenants', 'reactivate', tenant, '--direct']);
    const { body } = await admin.ask('GET /actions?limit=2&by=carol', ada);
    expect(body.actions).toMatchObject([
      { by: 'carol', via: 'command', action: 'tenants reactivate', outcome: 'done' },
      { by: 'carol', via: 'command', action: 'tenants suspend', outcome: 'done' },
    ]);
  });

  it('is refused what its operator may not, in one line', async () => {
    const { code, stdout, stderr } = await run(['operators', 'add', 'eve', '--role', 'admin']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('atelier: ada has the role finance; this asks for admin. Nothing was changed\n');
  });
});
