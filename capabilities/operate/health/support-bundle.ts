import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { readServerVersion } from '#event-store/open-event-store.js';
import type { Configuration } from '#platform/configuration.js';
import { messageOf } from '#platform/errors.js';
import { findSecretFiles, readHomeSecrets, readOperatorToken } from '#platform/home-files.js';
import { versionOfThis } from '#platform/package-folder.js';
import { diagnose } from './doctor.js';
import { showNow } from '../now/now.js';
import { ConnectedOperator } from '../connected-operator.js';
import { printJson, printLine, toJson } from '#operator-calls/output.js';
import { listProjections } from '../projections/list-projections.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';
import { answerWithinMs, withDatabase } from '../service.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { OutputOptions } from '#operator-calls/verb.js';

/** The number of lines from each log. */
const lastLines = 300;

/**
 * Writes one file with which another person can find out what is wrong: settings, the findings of the doctor,
 * waiting work, versions, the last lines of the logs, and the form of the tables. It holds no secret, no
 * picture, and nothing that gives access to either.
 */
export async function makeSupportBundle(file: string, { json }: OutputOptions): Promise<void> {
  const configuration = findConfiguration();
  const { home, databaseUrl, eventStoreUrl } = configuration;
  const bundle = {
    made_at: new Date(),
    versions: {
      atelier: versionOfThis(),
      node: process.version,
      system: `${process.platform} ${release()}`,
      database: await orWhy(() => readServerVersion(databaseUrl, answerWithinMs)),
      event_store: await orWhy(() => readServerVersion(eventStoreUrl, answerWithinMs)),
    },
    settings_given: Object.keys(process.env)
      .filter((name) => /^(?:ATELIER|S3|OTEL)_/.test(name))
      .sort(),
    configuration: withoutSecretFields(configuration),
    doctor: await orWhy(() => diagnose(configuration)),
    ...(await orWhy(lookAround)),
    schema: await orWhy(() => readSchema(databaseUrl)),
    logs: readLogs(join(home, 'logs')),
  };
  const text = withoutSecrets(toJson(bundle, 2), secretsOf(configuration));
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CallRefused(`${file} cannot be made: ${messageOf(error)}`);
  }
  if (json) printJson({ file, bytes: text.length });
  else
    printLine(
      `${file} holds no secret and no picture. It names tenants and jobs by their ids: read it before you send it.`,
    );
}

/** An error is a part of the picture too, so it takes the place of the result. */
async function orWhy<T>(look: () => Promise<T>): Promise<T | { readonly unknown_because: string }> {
  return look().catch((error: unknown) => ({ unknown_because: messageOf(error) }));
}

async function lookAround() {
  await using operator = await ConnectedOperator.connect(showNow.features);
  const asked = { signal: AbortSignal.timeout(60_000), onProgress: () => undefined };
  return {
    now: await orWhy(() => showNow.run(operator, {}, asked)),
    projections: await orWhy(() => listProjections.run(operator, {}, asked)),
  };
}

/** Tables with their columns, indexes and sizes, but without their rows. */
function readSchema(databaseUrl: string) {
  return withDatabase(databaseUrl, answerWithinMs, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(
      `select n.nspname || '.' || c.relname as "table", greatest(c.reltuples, 0)::float8 as rows_about,
          pg_total_relation_size(c.oid)::float8 as bytes,
          (select json_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum)
            from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
          (select json_agg(pg_get_indexdef(i.indexrelid)) from pg_index i where i.indrelid = c.oid) as indexes
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'v') and n.nspname !~ '^(pg_|information_schema)' order by 1`,
    );
    return rows;
  });
}

function readLogs(folder: string): Record<string, string[]> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return Object.fromEntries(
    names.map((name) => [
      name,
      readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').slice(-lastLines),
    ]),
  );
}

const secretNames = /secret|token|password|credential|(?:^|_)key|Keys?(?:Id)?$/i;

/** Settings by the names of their fields. A secret is replaced by a mark that it is set. */
function withoutSecretFields(value: unknown, name = ''): unknown {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (secretNames.test(name)) return '(set)';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((each) => withoutSecretFields(each));
  if (typeof value !== 'object') return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, withoutSecretFields(each, field)]),
  );
}

/** Every secret that this process can know. */
function secretsOf({ home, ...configuration }: Configuration): string[] {
  const named = Object.entries(process.env).flatMap(([name, value]) => {
    if (!value || !secretNames.test(name)) return [];
    return name.endsWith('_FILE') ? contentOf(value) : [value];
  });
  // Secrets of vendors count under any variable name.
  const ofVendors = configuration.imageModels.models.flatMap(({ secret_env: name }) =>
    name === undefined ? [] : [process.env[name] ?? '', ...contentOf(process.env[`${name}_FILE`] ?? '')],
  );
  const passwords = [configuration.databaseUrl, configuration.eventStoreUrl, ...Object.values(process.env)]
    .filter((text) => text !== undefined && URL.canParse(text))
    .map((text) => decodeURIComponent(new URL(String(text)).password));
  return [
    ...named,
    ...ofVendors,
    ...passwords,
    ...Object.values(readHomeSecrets(home)).filter((value) => typeof value === 'string'),
    ...configuration.acceptedSigningKeys,
    ...configuration.acceptedMasterKeys,
    ...configuration.alerts.secretUrls,
    readOperatorToken(home) ?? '',
    ...contentOf(join(home, 'postgres.password')),
    ...Object.values(findSecretFiles(home)).flatMap(contentOf),
  ];
}

const contentOf = (path: string): string[] => (existsSync(path) ? [readFileSync(path, 'utf8')] : []);

/** Shorter texts are ordinary words, and would be found everywhere. */
const shortestSecret = 8;

/**
 * The text without the known secrets, and without everything in the form of a secret: keys, and signed URLs.
 */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const lines = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...secret.split('\n'),
  ]);
  const known = [...new Set(lines.map((line) => line.trim()))]
    .filter((line) => line.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
  return known
    .reduce((rest, secret) => rest.replaceAll(secret, '(secret)'), text)
    .replace(/\b(sk_live|sk_test|whsec)_[\w+/=]{20,}/g, '$1_(secret)')
    .replace(/\bop_[a-z0-9._@+-]+_[0-9A-HJKMNP-TV-Z]{39}\b/g, 'op_(secret)')
    .replace(/(\w+:\/\/)[^\s"'\\/@]+@/g, '$1(secret)@')
    .replace(/(https?:\/\/[^\s"'\\?]+)\?[^\s"'\\]*/g, '$1?(secret)');
}
