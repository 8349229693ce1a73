import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { StorageConfiguration } from '#platform/configuration.js';
import {
  digestOf,
  type FormTerms,
  ObjectNotFound,
  type ObjectStorage,
  type PostForm,
  presignedUrlSeconds,
} from '../object-storage.js';
import { checkErasedPrefix, checkStorageKey } from '../storage-key.js';
import { postFields } from './post-form.js';

export type S3StorageOptions = Omit<Extract<StorageConfiguration, { kind: 's3' }>, 'kind'>;

const maxAttempts = 4;

/** Objects in a bucket of any server with the S3 API. It retries by itself; every put replaces the whole object. */
export class S3Storage implements ObjectStorage {
  readonly isServedElsewhere = true;
  private readonly client: S3Client;
  /** This client only signs: a signature covers the host, so each name of the server needs its own client. */
  private readonly signer: S3Client;
  private readonly bucket: string;

  constructor(private readonly options: S3StorageOptions) {
    this.bucket = options.bucket;
    this.client = clientOf(options, options.endpoint);
    this.signer = clientOf(options, options.publicEndpoint ?? options.endpoint);
  }

  async put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    await this.client.send(this.putting(key, bytes, contentType));
  }

  async create(key: string, bytes: Uint8Array, contentType: string): Promise<boolean> {
    // Servers that do not know the condition would replace the object.
    if (await this.has(key)) return false;
    try {
      await this.client.send(this.putting(key, bytes, contentType, { IfNoneMatch: '*' }));
      return true;
    } catch (error) {
      // 409: another write of the same object is under way, so try again.
      if (httpStatusOf(error) === 412) return false;
      throw error;
    }
  }

  async has(key: string): Promise<boolean> {
    try {
      await this.client.send(new HeadObjectCommand(this.at(key)));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  private putting(key: string, bytes: Uint8Array, contentType: string, more: { IfNoneMatch?: '*' } = {}) {
    return new PutObjectCommand({
      ...this.at(key),
      Body: bytes,
      ContentType: contentType,
      // Browsers keep a picture as long as a URL of it is valid: it may be erased.
      CacheControl: `private, max-age=${presignedUrlSeconds}, immutable`,
      ...more,
    });
  }

  get(key: string): Promise<Buffer> {
    return this.read(key, async (body) => Buffer.from(await body.transformToByteArray()));
  }

  async remove(key: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand(this.at(key)));
  }

  async erase(prefix: string): Promise<number> {
    let erased = 0;
    for await (const version of this.versionsBelow(checkErasedPrefix(prefix))) {
      await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, ...version }));
      erased += 1;
    }
    return erased;
  }

  /** The objects, old versions and marks of deletion. Without versions where the server has none. */
  private async *versionsBelow(Prefix: string): AsyncGenerator<{ Key: string; VersionId?: string }> {
    let more: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
    while (more) {
      let page: ListObjectVersionsCommandOutput;
      try {
        page = await this.client.send(
          new ListObjectVersionsCommand({ Bucket: this.bucket, Prefix, ...more }),
        );
      } catch (error) {
        if (httpStatusOf(error) !== 501) throw error;
        for (const Key of await this.list(Prefix)) yield { Key };
        return;
      }
      const { Versions = [], DeleteMarkers = [], NextKeyMarker, NextVersionIdMarker } = page;
      for (const { Key, VersionId } of [...Versions, ...DeleteMarkers])
        if (Key !== undefined) yield { Key, ...(VersionId !== undefined && { VersionId }) };
      more = page.IsTruncated
        ? {
            ...(NextKeyMarker !== undefined && { KeyMarker: NextKeyMarker }),
            ...(NextVersionIdMarker !== undefined && { VersionIdMarker: NextVersionIdMarker }),
          }
        : undefined;
    }
  }

  async list(Prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for (let after: string | undefined, more = true; more;) {
      const from = after === undefined ? {} : { ContinuationToken: after };
      const command = new ListObjectsV2Command({ Bucket: this.bucket, Prefix, ...from });
      const { Contents = [], NextContinuationToken } = await this.client.send(command);
      keys.push(...Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
      after = NextContinuationToken;
      more = after !== undefined;
    }
    return keys;
  }

  stream<Result>(key: string, take: (bytes: AsyncIterable<Uint8Array>) => Promise<Result>): Promise<Result> {
    // In Node the body is a stream of bytes.
    return this.read(key, (body) => take(body as unknown as AsyncIterable<Uint8Array>));
  }

  digest(key: string): Promise<string> {
    return this.stream(key, digestOf);
  }

  private async read<T>(
    key: string,
    take: (body: NonNullable<GetObjectCommandOutput['Body']>) => Promise<T>,
  ): Promise<T> {
    try {
      const { Body } = await this.client.send(new GetObjectCommand(this.at(key)));
      if (!Body) throw new ObjectNotFound('there is no object under this key');
      return await take(Body);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new ObjectNotFound('there is no object under this key', { cause: error });
    }
  }

  presignGet(key: string, expiresInSeconds = presignedUrlSeconds): Promise<string> {
    const command = new GetObjectCommand(this.at(key));
    return getSignedUrl(this.signer, command, { expiresIn: expiresInSeconds });
  }

  async presignPost(key: string, terms: FormTerms): Promise<PostForm> {
    const url = new URL(await this.presignGet(key));
    // The address of the bucket, in its path or in its name: without the key, and without the slash before it.
    url.pathname = url.pathname.slice(0, -key.length - 1);
    url.search = '';
    return { url: url.href, fields: postFields(this.options, key, terms) };
  }

  private at(key: string) {
    return { Bucket: this.bucket, Key: checkStorageKey(key) };
  }

  close(): void {
    this.client.destroy();
    this.signer.destroy();
  }
}

/** Undefined for an error that is not an answer of the server. */
function httpStatusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

const isNotFound = (error: unknown) =>
  error instanceof NoSuchKey || error instanceof NotFound || error instanceof RangeError;

function clientOf(options: S3StorageOptions, endpoint: string | undefined): S3Client {
  const { region, accessKeyId, secretAccessKey, forcePathStyle } = options;
  return new S3Client({
    region,
    forcePathStyle,
    maxAttempts,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint === undefined ? {} : { endpoint }),
    // Older servers with the S3 API refuse checksums that they do not know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
