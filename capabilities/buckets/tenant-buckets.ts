import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { Environment } from '#domain/streams.js';
import type { Configuration } from '#platform/configuration.js';
import {
  callableUrl,
  complaintAboutHost,
  resolveByDns,
  resolvePublic,
  type ResolveName,
} from '#platform/public-address.js';
import { callOnce } from '#platform/webhook-call.js';
import { openSecret } from './bucket-secret.js';
import type { ConnectedBucket } from './bucket.js';

/** Answers that another try may change. Each other 3xx and 4xx is about the settings or the rights of the key. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** A bucket that did not do what it was asked. The message is for its tenant. */
export class BucketFailure extends Error {
  override readonly name = 'BucketFailure';

  constructor(
    message: string,
    /** Null: no answer came. */
    readonly statusCode: number | null,
    /** Whether the same call may succeed later. */
    readonly mayPass: boolean,
  ) {
    super(message);
  }
}

/** @throws BucketFailure from each method */
export interface OpenBucket extends Disposable {
  put(key: string, bytes: Uint8Array | string, contentType: string): Promise<void>;
  /** Also if there is no such object. */
  remove(key: string): Promise<void>;
}

interface OpenFor {
  readonly environment: Environment;
  readonly tenant: string;
  /** For each call. Default: the setting. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

type S3Request = { hostname: string; protocol: string; port?: number; path: string; method: string } & {
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/**
 * Calls the buckets of tenants. Each call looks the host up once, checks its address, and connects to exactly that one;
 * it follows no redirect, and limits the time and how much of an answer is read.
 */
export class TenantBuckets {
  constructor(
    private readonly configuration: Pick<Configuration, 'signingKey' | 'acceptedSigningKeys' | 'buckets'>,
    private readonly resolve: ResolveName = resolveByDns,
  ) {}

  /** Why this is no endpoint, as the second half of a sentence; undefined if it is one. */
  async complaintAbout(environment: Environment, endpoint: string): Promise<string | undefined> {
    const url = this.parse(environment, endpoint);
    if (typeof url === 'string') return url;
    if (url.pathname !== '/' || url.search)
      return 'must be the address of the server alone: the bucket has its own field';
    return complaintAboutHost(url.hostname, this.configuration.buckets.allowedNetworks, this.resolve);
  }

  /** @throws BucketFailure if its secret cannot be read */
  async open(
    bucket: ConnectedBucket,
    { environment, tenant, signal, timeoutMs }: OpenFor,
  ): Promise<OpenBucket> {
    const secretAccessKey = openSecret(this.configuration, environment, tenant, bucket);
    if (secretAccessKey === undefined)
      throw new BucketFailure(
        'its secret key cannot be read any more: connect the bucket again',
        null,
        false,
      );
    // The client of S3 is large, so only those who push load it.
    const { S3Client, PutObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3');
    const { endpoint, region, forcePathStyle, accessKeyId, bucket: Bucket } = bucket;
    const limits = { signal, timeoutMs: timeoutMs ?? this.configuration.buckets.timeoutMs };
    const client: S3Client = new S3Client({
      endpoint,
      region,
      forcePathStyle,
      credentials: { accessKeyId, secretAccessKey },
      // The queue tries again.
      maxAttempts: 1,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      expectContinueHeader: false,
      requestHandler: this.handler(environment, limits),
    });
    return {
      put: (Key, Body, ContentType) =>
        done(client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }))),
      remove: (Key) => done(client.send(new DeleteObjectCommand({ Bucket, Key }))),
      [Symbol.dispose]: () => client.destroy(),
    };
  }

  /** The SDK signs, and this sends. It reads no answer beyond its status, and what went wrong. */
  private handler(environment: Environment, limits: { signal: AbortSignal; timeoutMs: number }) {
    const { allowedNetworks } = this.configuration.buckets;
    const handle = async ({
      protocol,
      hostname,
      port,
      path,
      query = {},
      method,
      headers,
      body,
    }: S3Request) => {
      const text = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`;
      // The setting may have changed since the bucket was connected.
      const url = this.parse(environment, text);
      if (typeof url === 'string') throw new BucketFailure(`its address ${url}`, null, false);
      for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
      const address = () => resolvePublic(url.hostname, allowedNetworks, this.resolve);
      // The commands above have no other bodies.
      const call = { ...limits, headers, body: (body ?? '') as string | Uint8Array, address };
      const outcome = await callOnce(url, method, call);
      if (outcome.kind !== 'answered')
        throw new BucketFailure(outcome.error, null, outcome.kind !== 'refused');
      const { statusCode, bytes } = outcome;
      if (statusCode < 200 || statusCode >= 300) throw refusalOf(statusCode, bytes.toString('utf8'));
      return { response: { statusCode, headers: {}, body: new Uint8Array() } };
    };
    const handler = { handle, updateHttpClientConfig: () => undefined, httpHandlerConfigs: () => ({}) };
    // Its types name every header and body that some command of the SDK has.
    return handler as unknown as NonNullable<S3ClientConfig['requestHandler']>;
  }

  private parse(environment: Environment, endpoint: string): URL | string {
    const plain = environment === 'test' && this.configuration.buckets.allowHttp;
    return callableUrl(endpoint, plain ? ['https:', 'http:'] : ['https:']);
  }
}

/** The SDK itself refuses settings that cannot be signed, or make no address. */
async function done(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (error instanceof BucketFailure) throw error;
    throw new BucketFailure(
      `it cannot be called: ${error instanceof Error ? error.message : 'unknown'}`,
      null,
      false,
    );
  });
}

function refusalOf(statusCode: number, xml: string): BucketFailure {
  const element = (name: string) => new RegExp(`<${name}>([^<]{1,200})`).exec(xml)?.[1];
  const said = [element('Code'), element('Message')].filter((each) => each !== undefined).join(': ');
  // No text of PostgreSQL has a NUL.
  const message = `${statusCode}${said && ` ${said}`}`.replaceAll('\0', '');
  const mayPass = statusCode >= 500 || passing.has(statusCode);
  return new BucketFailure(message, statusCode, mayPass);
}

/** Waits for `open` and its calls, and gives their failures as values. Other errors are ours. */
export async function failureOf(work: () => Promise<unknown>): Promise<BucketFailure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof BucketFailure) return error;
    throw error;
  }
}
