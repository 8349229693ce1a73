import { findApiKey, IssueKey, RevokeKey, RotateKey } from '#application/key/manage-keys.handler.js';
import { KeyModule } from '#application/key/key.module.js';
import { signingSecretOf } from '#application/key/api-key.js';
import { capabilityNames, type SignatureRule } from '#domain/key/key.events.js';
import type { RetireRejection } from '#domain/key/key.js';
import { environments, type Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import type { Configuration } from '#platform/configuration.js';
import type { KeyRow } from '#projections/keys/keys.read-model.js';
import { KeysReader } from '#projections/readers.js';
import { ChoiceField, choice, IdField, IntegerField, ListField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { OfTenant, OfTenantInEnvironment, environmentsOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';

class NewKey extends OfTenant {
  @ChoiceField({ description: 'Data environment that the key opens.', values: environments, required: true })
  env: Environment;

  @ListField({
    description: 'Its permissions. `ctm:create` and `ctm:read` are the older names of the same two.',
    required: true,
    min: 1,
    max: capabilityNames.size,
    unique: true,
    items: choice([...capabilityNames.keys()]),
  })
  capabilities: string[];

  @TextField({ description: 'What it is for.', max: 128 })
  label: string = '';

  @ChoiceField({
    description:
      '`always`: requests must be signed; `timed`: the signature must also name its time. Other requests are refused.',
    values: ['always', 'timed'],
    // The command has the flag `--require-signature` without a value.
    fromText: (sent) => (sent === true ? 'always' : sent),
  })
  require_signature?: 'always' | 'timed';
}

export const issueTenantKey = defineCall({
  name: 'keys issue',
  route: 'POST /tenants/:tenant/keys',
  may: ['support'],
  summary: 'Make a key; it is shown only this once, and stored only as a hash',
  input: NewKey,
  typed: { require_signature: 'flag' },
  features: [KeyModule],
  async run(operator, { tenant, env, capabilities: names, label, require_signature: rule }) {
    const capabilities = [...new Set(names.flatMap((name) => capabilityNames.get(name) ?? []))];
    await operator.account(env, tenant);
    // Checked first: without a signing secret, no request with this key could be signed.
    if (rule !== undefined) requireSigningSecret(operator.configuration, tenant);
    const requiresSignature: SignatureRule = rule === 'timed' ? rule : rule === 'always';
    const grant = { capabilities, label, requiresSignature };
    const issued = await operator.execute(new IssueKey(operator.context(env, tenant), grant));
    await operator.caughtUp(env, 'keys', issued.position);
    const { keyId, key } = issued;
    const secret = signingSecret(operator.configuration, keyId);
    return {
      key_id: keyId,
      key,
      tenant_id: tenant,
      env,
      capabilities,
      label,
      requires_signature: requiresSignature,
      ...(secret !== undefined && { signing_secret: secret }),
    };
  },
  summarise: ({ key_id }) => `key ${key_id}`,
  print: ({ capabilities, requires_signature, signing_secret, ...issued }) =>
    printNewKey(issued, [
      ['capabilities', capabilities.join(', ')],
      ...asProperty(signing_secret),
      ['requests', requestsOf(requires_signature)],
    ]),
});

function requestsOf(rule: SignatureRule): string {
  if (rule === 'timed') return 'must be signed, with the time';
  return rule ? 'must be signed' : 'may be signed';
}

class OneKey {
  @IdField({ description: 'The key, as `keys list` shows it.', required: true })
  key: string;
}

class Rotation extends OneKey {
  @IntegerField({
    description: 'How long the old key still works, in milliseconds.',
    min: 0,
    max: 90 * 86_400_000,
    default: 86_400_000,
  })
  overlap: number = 86_400_000;
}

export const rotateTenantKey = defineCall({
  name: 'keys rotate',
  route: 'POST /keys/:key/rotate',
  may: ['support'],
  summary: 'Make a successor that may do the same; the old key works for a while longer',
  input: Rotation,
  typed: { overlap: 'duration' },
  features: [KeyModule],
  async run(operator, { key: keyId, overlap }) {
    const { environment, tenant } = await findKey(operator, keyId);
    const context = operator.context(environment, tenant);
    const rotated = await operator.execute(new RotateKey(context, keyId, overlap));
    if (rotated.kind === 'rejected') throw new CallRefused(explain(keyId, rotated.rejection));
    const { successor, retiresAt } = rotated;
    await operator.caughtUp(environment, 'keys', successor.position);
    const secret = signingSecret(operator.configuration, successor.keyId);
    return {
      key_id: successor.keyId,
      key: successor.key,
      tenant_id: tenant,
      env: environment,
      ...(secret !== undefined && { signing_secret: secret }),
      replaces: keyId,
      retires_at: retiresAt,
    };
  },
  summarise: ({ key_id }) => `key ${key_id}`,
  print: ({ signing_secret, replaces, retires_at, ...successor }) =>
    printNewKey(successor, [
      ...asProperty(signing_secret),
      ['replaces', `${replaces}, which works until ${retires_at}`],
    ]),
});

type Property = readonly [name: string, value: string];

const asProperty = (secret: string | undefined): Property[] =>
  secret === undefined ? [] : [['signing secret', secret]];

interface NewlyMade {
  readonly key: string;
  readonly key_id: string;
  readonly tenant_id: string;
  readonly env: string;
}

function printNewKey({ key, key_id, tenant_id, env }: NewlyMade, more: Property[]): void {
  const names: Property[] = [
    ['key', key],
    ['key id', key_id],
    ['tenant', tenant_id],
    ['environment', env],
  ];
  const warning = 'The key is shown only now: keep it where only your servers can read it.';
  printProperties([...names, ...more, ['', warning]]);
}

class Revocation extends OneKey {
  @TextField({ description: 'Why, for the record.', min: 1, max: 200 })
  reason: string = 'revoked by the operator';
}

export const revokeTenantKey = defineCall({
  name: 'keys revoke',
  route: 'POST /keys/:key/revoke',
  may: ['support'],
  summary: 'Make a key invalid, for good',
  input: Revocation,
  features: [KeyModule],
  async run(operator, { key: keyId, reason }) {
    const { environment, tenant } = await findKey(operator, keyId);
    const context = operator.context(environment, tenant);
    const revoked = await operator.execute(new RevokeKey(context, keyId, reason));
    if (revoked.kind === 'accepted') await operator.caughtUp(environment, 'keys', revoked.position);
    return { key_id: keyId, tenant_id: tenant, env: environment, status: 'revoked' as const };
  },
  print: ({ key_id, tenant_id, env }) => printLine(`Key ${key_id} of ${tenant_id} in ${env} is revoked.`),
});

/** It shows a secret. So it needs more than the right to read, and the log records each call. */
export const showSigningSecret = defineCall({
  name: 'keys signing-secret',
  route: 'POST /keys/:key/signing-secret',
  may: ['support'],
  summary: 'The secret with which the client of a key signs its requests',
  input: OneKey,
  async run(operator, { key: keyId }) {
    const { environment, tenant } = await findKey(operator, keyId);
    const secret = requireSigningSecret(operator.configuration, keyId);
    return { key_id: keyId, tenant_id: tenant, env: environment, signing_secret: secret };
  },
  print: ({ signing_secret }) =>
    printProperties([
      ['signing secret', signing_secret],
      ['', 'docs/signed-requests.md says what is signed with it, and how.'],
    ]),
});

export const listTenantKeys = defineCall({
  name: 'keys list',
  route: 'GET /tenants/:tenant/keys',
  may: ['read'],
  summary: "A tenant's keys, with those that retire or are revoked",
  input: OfTenantInEnvironment,
  async run(operator, { tenant, env }) {
    await operator.accountsOf(tenant, env);
    const keys = [];
    for (const environment of environmentsOf(env)) {
      const reader = new KeysReader(await operator.readModels(environment));
      keys.push(...(await reader.list(tenant)).map((row) => describe(environment, row)));
    }
    return { tenant_id: tenant, keys };
  },
  print: ({ keys }) =>
    printTable(keys, {
      'key id': (key) => key.key_id,
      environment: (key) => key.env,
      capabilities: (key) => key.capabilities.join(', '),
      label: (key) => key.label,
      status: (key) => key.status,
      issued: (key) => key.issued_at,
      retires: (key) => key.retires_at,
      revoked: (key) => key.revoked_at,
    }),
});

function describe(environment: Environment, row: KeyRow) {
  const { keyId, capabilities, label, issuedAt, retiresAt, revokedAt } = row;
  return {
    key_id: keyId,
    env: environment,
    capabilities,
    label,
    status: statusOf(row),
    issued_at: issuedAt,
    retires_at: retiresAt,
    revoked_at: revokedAt,
  };
}

function statusOf({ retiresAt, revokedAt }: KeyRow): 'active' | 'retiring' | 'retired' | 'revoked' {
  if (revokedAt) return 'revoked';
  if (!retiresAt) return 'active';
  return retiresAt > systemClock() ? 'retiring' : 'retired';
}

/** Finds a key by its id, and the key's environment with it. @throws CallRefused if there is none */
async function findKey(operator: Operator, keyId: string) {
  for (const environment of environments) {
    const found = await findApiKey(operator.store, environment, keyId);
    if (found) return { environment, tenant: found.key.tenant };
  }
  throw new CallRefused(noSuchKey(keyId), 'RESOURCE_NOT_FOUND');
}

function noSuchKey(keyId: string): string {
  return `there is no key ${keyId}: "atelier keys list --tenant …" shows the ids of keys`;
}

function explain(keyId: string, rejection: RetireRejection): string {
  switch (rejection.code) {
    case 'KEY_NOT_FOUND':
      return noSuchKey(keyId);
    case 'KEY_REVOKED':
      return `key ${keyId} is revoked: "atelier keys issue" makes a new one`;
    case 'KEY_ROTATED':
      return `key ${keyId} has a successor already: rotate ${rejection.successorKeyId}, or revoke it`;
    default:
      return rejection satisfies never;
  }
}

/** The signing secret of a key; undefined where the installation has no signing key. */
function signingSecret({ signingKey }: Configuration, keyId: string): string | undefined {
  return signingKey === undefined ? undefined : signingSecretOf(signingKey, keyId);
}

/** @throws CallRefused where the installation has no signing key */
function requireSigningSecret(configuration: Configuration, keyId: string): string {
  const secret = signingSecret(configuration, keyId);
  if (secret !== undefined) return secret;
  throw new CallRefused('no request can be signed here: set ATELIER_SIGNING_KEY, for the API as well');
}
