import {
  findApiKey,
  IssueKey,
  RevokeKey,
  RotateKey,
  type IssuedApiKey,
} from '#application/key/manage-keys.handler.js';
import { KeyModule } from '#application/key/key.module.js';
import { signingSecretOf } from '#application/key/api-key.js';
import type { Capability, SignatureRule } from '#domain/key/key.events.js';
import type { RetireRejection } from '#domain/key/key.js';
import { environments, type Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import type { Configuration } from '#platform/configuration.js';
import type { KeyRow } from '#projections/keys/keys.read-model.js';
import { KeysReader } from '#projections/readers.js';
import { Operator } from '../operator.js';
import { printJson, printLine, printProperties, printTable } from '../output.js';
import { environmentsOf } from '../places.js';
import { CliError, type EnvironmentOptions, type OutputOptions } from '../verb.js';

export interface IssueKeyOptions extends OutputOptions {
  readonly tenant: string;
  readonly env: Environment;
  readonly capabilities: readonly Capability[];
  readonly label: string;
  readonly requireSignature?: SignatureRule;
}

export async function issueTenantKey(options: IssueKeyOptions): Promise<void> {
  const { tenant, env, capabilities, label, requireSignature = false, json } = options;
  await using operator = await Operator.connect([KeyModule]);
  await operator.account(env, tenant);
  // Checked first: without a signing secret, no request with this key could be signed.
  if (requireSignature) requireSigningSecret(operator.configuration, tenant);
  const grant = { capabilities, label, requiresSignature: requireSignature };
  const issued = await operator.execute(new IssueKey(operator.context(env, tenant), grant));
  await operator.caughtUp(env, 'keys', issued.position);

  const { keyId, key } = issued;
  const secret = signingSecret(operator.configuration, keyId);
  if (json)
    return printJson({
      ...{ key_id: keyId, key, tenant_id: tenant, env, capabilities, label },
      requires_signature: requireSignature,
      ...(secret !== undefined && { signing_secret: secret }),
    });
  printNewKey(issued, { environment: env, tenant }, [
    ['capabilities', capabilities.join(', ')],
    ...asProperty(secret),
    ['requests', requestsOf(requireSignature)],
  ]);
}

function requestsOf(rule: SignatureRule): string {
  if (rule === 'timed') return 'must be signed, with the time';
  return rule ? 'must be signed' : 'may be signed';
}

export interface RotateKeyOptions extends OutputOptions {
  /** Milliseconds. */
  readonly overlap: number;
}

export async function rotateTenantKey(keyId: string, { overlap, json }: RotateKeyOptions): Promise<void> {
  await using operator = await Operator.connect([KeyModule]);
  const { environment, tenant } = await findKey(operator, keyId);
  const context = operator.context(environment, tenant);
  const rotated = await operator.execute(new RotateKey(context, keyId, overlap));
  if (rotated.kind === 'rejected') throw new CliError(explain(keyId, rotated.rejection));
  const { successor, retiresAt } = rotated;
  await operator.caughtUp(environment, 'keys', successor.position);

  const secret = signingSecret(operator.configuration, successor.keyId);
  if (json)
    return printJson({
      ...{ key_id: successor.keyId, key: successor.key, tenant_id: tenant, env: environment },
      ...(secret !== undefined && { signing_secret: secret }),
      ...{ replaces: keyId, retires_at: retiresAt },
    });
  printNewKey(successor, { environment, tenant }, [
    ...asProperty(secret),
    ['replaces', `${keyId}, which works until ${retiresAt.toISOString()}`],
  ]);
}

type Property = readonly [name: string, value: string];

const asProperty = (secret: string | undefined): Property[] =>
  secret === undefined ? [] : [['signing secret', secret]];

function printNewKey(
  { key, keyId }: IssuedApiKey,
  { tenant, environment }: FoundKey,
  more: Property[],
): void {
  const names: Property[] = [
    ['key', key],
    ['key id', keyId],
    ['tenant', tenant],
    ['environment', environment],
  ];
  const warning = 'The key is shown only now: keep it where only your servers can read it.';
  printProperties([...names, ...more, ['', warning]]);
}

export async function revokeTenantKey(
  keyId: string,
  { reason, json }: OutputOptions & { readonly reason: string },
): Promise<void> {
  await using operator = await Operator.connect([KeyModule]);
  const { environment, tenant } = await findKey(operator, keyId);
  const context = operator.context(environment, tenant);
  const revoked = await operator.execute(new RevokeKey(context, keyId, reason));
  if (revoked.kind === 'accepted') await operator.caughtUp(environment, 'keys', revoked.position);
  if (json) printJson({ key_id: keyId, tenant_id: tenant, env: environment, status: 'revoked' });
  else printLine(`Key ${keyId} of ${tenant} in ${environment} is revoked.`);
}

export async function showSigningSecret(keyId: string, { json }: OutputOptions): Promise<void> {
  await using operator = await Operator.connect();
  const { environment, tenant } = await findKey(operator, keyId);
  const secret = requireSigningSecret(operator.configuration, keyId);
  if (json) return printJson({ key_id: keyId, tenant_id: tenant, env: environment, signing_secret: secret });
  printProperties([
    ['signing secret', secret],
    ['', 'What is signed with it, and how: docs/signed-requests.md.'],
  ]);
}

export async function listTenantKeys({
  tenant,
  env,
  json,
}: EnvironmentOptions & { readonly tenant: string }): Promise<void> {
  await using operator = await Operator.connect();
  await operator.accountsOf(tenant, env);
  const keys = [];
  for (const environment of environmentsOf(env)) {
    const reader = new KeysReader(await operator.readModels(environment));
    keys.push(...(await reader.list(tenant)).map((row) => describe(environment, row)));
  }
  if (json) return printJson({ tenant_id: tenant, keys });
  printTable(keys, {
    'key id': (key) => key.key_id,
    environment: (key) => key.env,
    capabilities: (key) => key.capabilities.join(', '),
    label: (key) => key.label,
    status: (key) => key.status,
    issued: (key) => key.issued_at.toISOString(),
    retires: (key) => key.retires_at?.toISOString(),
    revoked: (key) => key.revoked_at?.toISOString(),
  });
}

function describe(environment: Environment, row: KeyRow) {
  const { keyId, capabilities, label, issuedAt, retiresAt, revokedAt } = row;
  return {
    ...{ key_id: keyId, env: environment, capabilities, label, status: statusOf(row) },
    ...{ issued_at: issuedAt, retires_at: retiresAt, revoked_at: revokedAt },
  };
}

function statusOf({ retiresAt, revokedAt }: KeyRow): 'active' | 'retiring' | 'retired' | 'revoked' {
  if (revokedAt) return 'revoked';
  if (!retiresAt) return 'active';
  return retiresAt > systemClock() ? 'retiring' : 'retired';
}

interface FoundKey {
  readonly environment: Environment;
  readonly tenant: string;
}

/** The key with this id, whose environment is looked for. @throws CliError when there is none */
async function findKey(operator: Operator, keyId: string): Promise<FoundKey> {
  for (const environment of environments) {
    const found = await findApiKey(operator.store, environment, keyId);
    if (found) return { environment, tenant: found.key.tenant };
  }
  throw new CliError(noSuchKey(keyId));
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

/** @throws CliError where the installation has no signing key */
function requireSigningSecret(configuration: Configuration, keyId: string): string {
  const secret = signingSecret(configuration, keyId);
  if (secret !== undefined) return secret;
  throw new CliError('no request can be signed here: set ATELIER_SIGNING_KEY, for the API as well');
}
