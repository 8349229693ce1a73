import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { errorCode } from '#platform/errors.js';
import { digestOf, ObjectNotFound, presignedUrlSeconds, type ObjectStorage } from '../object-storage.js';
import { checkErasedPrefix, checkStorageKey, contentTypeOf, isStorageKey } from '../storage-key.js';

export interface FolderStorageOptions {
  readonly directory: string;
  readonly signingSecret: string;
  /** Base of the URLs, without a slash at the end; the API serves `{publicUrl}/objects/…`. */
  readonly publicUrl: string;
  /** In milliseconds since 1970. */
  readonly now?: () => number;
}

/** URLs of one object are the same for this long, so that browsers may keep what they fetched. */
const sameUrlSeconds = 60;

/** Objects as files. A file appears under its name only when it is complete and on the disk. */
export class FolderStorage implements ObjectStorage {
  readonly isServedElsewhere = false;
  private readonly now: () => number;

  constructor(private readonly options: FolderStorageOptions) {
    this.now = options.now ?? Date.now;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.write(key, bytes, rename);
  }

  async create(key: string, bytes: Uint8Array): Promise<boolean> {
    try {
      // Unlike a rename, a link is refused where there is a file.
      await this.write(key, bytes, link);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  private async write(
    key: string,
    bytes: Uint8Array,
    show: (draft: string, path: string) => Promise<void>,
  ): Promise<void> {
    const path = this.path(key);
    const draft = `${path}.${randomBytes(6).toString('hex')}.part`;
    await mkdir(dirname(path), { recursive: true });
    try {
      await writeDurably(draft, bytes);
      await show(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
    await syncFolder(dirname(path));
  }

  async get(key: string): Promise<Buffer> {
    try {
      return await readFile(this.path(key));
    } catch (error) {
      throw asNotFound(error);
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.path(key), { force: true });
  }

  async erase(prefix: string): Promise<number> {
    const whole = checkErasedPrefix(prefix);
    // Drafts of unfinished writes lie beside the object, under a longer name.
    const [folder, start] = whole.endsWith('/')
      ? [this.path(whole.slice(0, -1)), '']
      : [dirname(this.path(whole)), basename(whole)];
    const found = await this.entries(folder);
    const erased = found.filter(
      ({ parentPath, name }) => start === '' || (parentPath === folder && name.startsWith(start)),
    );
    for (const { parentPath, name } of erased) await rm(join(parentPath, name), { force: true });
    if (start === '') await rm(folder, { recursive: true, force: true });
    else if (erased.length > 0) await syncFolder(folder);
    return erased.length;
  }

  async list(prefix: string): Promise<string[]> {
    const folder = this.path(prefix.slice(0, -1));
    const files = await this.entries(folder);
    const names = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
    return names.filter((name) => !name.endsWith('.part')).map((name) => prefix + name.split(sep).join('/'));
  }

  /** The files in a folder and below it; none if there is no such folder. */
  private async entries(folder: string) {
    try {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile());
    } catch (error) {
      if (asNotFound(error) instanceof ObjectNotFound) return [];
      throw error;
    }
  }

  async stream<Result>(
    key: string,
    take: (bytes: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result> {
    const { stream } = await this.openRead(key);
    try {
      // The stream yields chunks of bytes; its type does not say so.
      return await take(stream as AsyncIterable<Uint8Array>);
    } finally {
      stream.destroy();
    }
  }

  digest(key: string): Promise<string> {
    return this.stream(key, digestOf);
  }

  async has(key: string): Promise<boolean> {
    try {
      return (await stat(this.path(key))).isFile();
    } catch (error) {
      if (asNotFound(error) instanceof ObjectNotFound) return false;
      throw error;
    }
  }

  presignGet(key: string, expiresInSeconds = presignedUrlSeconds): Promise<string> {
    const { signingSecret, publicUrl } = this.options;
    const query = signedQuery(signingSecret, checkStorageKey(key), this.now(), expiresInSeconds);
    return Promise.resolve(`${publicUrl}/objects/${key}?${query}`);
  }

  presignPost(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * Whether a URL of {@link presignGet} still allows this read. The answer is the same for forged, foreign and expired
   * URLs.
   */
  allows(read: SignedRead): boolean {
    const signed = isStorageKey(read.key) && isSignedBy(this.options.signingSecret, read);
    return signed && read.expires * 1000 >= this.now();
  }

  /** @throws ObjectNotFound */
  async openRead(key: string) {
    let file: FileHandle | undefined;
    try {
      file = await open(this.path(key), 'r');
      const status = await file.stat();
      if (!status.isFile()) throw new ObjectNotFound('the key names a folder');
      const stream = createReadStream('', { fd: file });
      return { stream, sizeBytes: status.size, contentType: contentTypeOf(key) };
    } catch (error) {
      await file?.close();
      throw asNotFound(error);
    }
  }

  private path(key: string): string {
    return join(this.options.directory, ...checkStorageKey(key).split('/'));
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A new name in a folder survives a power cut only after the folder itself is on the disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function asNotFound(error: unknown): unknown {
  // Errors of `fs` have a code; other errors here have none.
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || error instanceof RangeError
    ? new ObjectNotFound('there is no object under this key')
    : error;
}

/** The permission to read one object until a given time, as a URL holds it. */
export interface SignedRead {
  readonly key: string;
  /** Seconds since 1970. */
  readonly expires: number;
  readonly signature: string;
}

/** The query of a URL that allows to read an object for about `seconds` from `now`, in milliseconds since 1970. */
export function signedQuery(secret: string, key: string, now: number, seconds: number): string {
  const expires = Math.ceil((now / 1000 + seconds) / sameUrlSeconds) * sameUrlSeconds;
  return `expires=${expires}&signature=${sign(secret, key, expires)}`;
}

/** HMAC-SHA256 over method, key and expiry, in base64url. */
function sign(secret: string, key: string, expires: number): string {
  return createHmac('sha256', secret).update(`GET\n${key}\n${expires}`).digest('base64url');
}

/** Takes the same time for every wrong signature. It does not check the expiry. */
export function isSignedBy(secret: string, { key, expires, signature }: SignedRead): boolean {
  const expected = Buffer.from(sign(secret, key, expires));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
