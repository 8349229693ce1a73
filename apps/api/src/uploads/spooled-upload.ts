import { mkdtemp, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { pendingSignature } from '../auth/signature.js';
import { ApiError, invalid } from '../http/api-error.js';
import { watchBody, type BodyWatch } from '../http/request-body.js';

export const uploadLimitBytes = 25 * 1024 * 1024;

/** What a multipart form of one file has around it, generously. */
const framingBytes = 1024 * 1024;

/** An upload as a file of ours, gone when it is disposed of. */
export interface SpooledUpload extends AsyncDisposable {
  readonly path: string;
}

/**
 * Writes the one file of a multipart request to disk as it comes in, so that a slow client costs no memory.
 * @throws ApiError 413 beyond {@link uploadLimitBytes}; 415 for another content type; 422 unless there is exactly one
 *   field, `file`, and it is a file; 401 when the body is not the one that was signed; 408 when it takes too long
 */
export async function spoolUpload(request: FastifyRequest): Promise<SpooledUpload> {
  if (!request.isMultipart()) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the picture as multipart/form-data with one binary field named file.',
    );
  }
  const { file, path, discard } = await openSpool();
  const over = new AbortController();
  try {
    await receive(request, file, over.signal);
    return { path, [Symbol.asyncDispose]: discard };
  } catch (error) {
    // The file cannot be closed while the rest of the body is waited for. The rest flows on, so that the client can read the answer.
    over.abort();
    request.raw.unpipe().resume();
    await discard();
    throw asApiError(error);
  }
}

const prefix = 'atelier-upload-';

/**
 * A file that no name leads to where the system allows it, as Linux does: the photograph with all that is noted in it
 * goes with this process, however that ends.
 */
async function openSpool() {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const remove = () => rm(folder, { recursive: true, force: true });
  const named = join(folder, 'upload');
  const file = await open(named, 'wx+', 0o600).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const path = `/proc/self/fd/${file.fd}`;
  const isNameless = await stat(path)
    .then(remove)
    .then(
      () => true,
      () => false,
    );
  const discard = async () => {
    await file.close();
    if (!isNameless) await remove();
  };
  return { file, path: isNameless ? path : named, discard };
}

/** No upload takes that long: its process has died, or it was one of a release before. */
export const leftAfterMs = 15 * 60_000;

/** Removes what uploads have left in the temporary folder, those of other processes included, but for those under way. */
export async function clearLeftUploads(now = Date.now()): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  const clear = async (folder: string) => {
    if ((await stat(folder)).mtimeMs < now - leftAfterMs) await rm(folder, { recursive: true, force: true });
  };
  // One that is gone by now, or is another user's, keeps none of the others.
  await Promise.allSettled(names.map((name) => clear(join(tmpdir(), name))));
}

/** The verdict on the signature falls when the whole body was seen, and before the picture is decoded. */
async function receive(request: FastifyRequest, file: FileHandle, over: AbortSignal): Promise<void> {
  using watch = watchBody(request);
  const signature = pendingSignature(request);
  const ended = seeBody(request, watch, (chunk) => signature?.update(chunk));
  const writing = writeOnlyFile(request, file, over).then(
    () => undefined,
    (error: unknown) => ({ error: asApiError(error) }),
  );
  const failure = await Promise.race([writing, watch.tooSlow]);
  const oversized = failure?.error instanceof ApiError && failure.error.status === 413;
  if (signature && !oversized) {
    // Whatever is wrong with the form: who has not signed it is not told.
    request.raw.unpipe().resume();
    await Promise.race([ended, watch.tooSlow]);
    await signature.verify();
  }
  if (failure) throw failure.error;
}

/**
 * Shows every piece of the body to a second pair of eyes, beside the parser that the body is piped to. To be called
 * right before that: the first listener starts the flow.
 */
function seeBody({ raw }: FastifyRequest, watch: BodyWatch, see: (chunk: Buffer) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined);
  let size = 0;
  raw.on('data', (chunk: Buffer) => {
    watch.progress();
    size += chunk.length;
    if (size > uploadLimitBytes + framingBytes) reject(tooLarge());
    else see(chunk);
  });
  raw.on('end', resolve);
  raw.on('close', () => reject(incomplete()));
  return promise;
}

async function writeOnlyFile(request: FastifyRequest, file: FileHandle, over: AbortSignal): Promise<void> {
  let found = false;
  // One more of each than is allowed, so that what is too much is seen and not silently dropped.
  const limits = {
    fileSize: uploadLimitBytes,
    files: 2,
    fields: 1,
    parts: 3,
    fieldSize: 1024,
    headerPairs: 32,
  };
  for await (const part of request.parts({ limits })) {
    if (part.type !== 'file' || part.fieldname !== 'file' || found) {
      if (part.type === 'file') part.file.resume();
      throw unexpectedPart(part.fieldname, found);
    }
    found = true;
    await writePart(part, file, over);
  }
  if (!found) throw invalid([{ loc: ['body', 'file'], msg: 'is required: a picture', type: 'missing' }]);
}

async function writePart(
  { file: part }: MultipartFile,
  file: FileHandle,
  signal: AbortSignal,
): Promise<void> {
  await pipeline(part, (source) => file.writeFile(source), { signal });
  if (part.truncated) throw tooLarge();
}

function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `A picture may have at most ${uploadLimitBytes} bytes (25 MiB).`);
}

function unexpectedPart(name: string, again: boolean): ApiError {
  const msg =
    name === 'file' && again ? 'may be sent once only' : 'is not expected: send one binary field named file';
  return invalid([{ loc: ['body', name.slice(0, 64)], msg, type: 'extra_forbidden' }]);
}

/** What the parser of multipart bodies complains about is the caller's to mend; what the disk says is ours. */
function asApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  // Errors of the file system have both; other errors have neither.
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return error;
  if (code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return unexpectedPart('file', true);
  }
  return incomplete();
}

function incomplete(): ApiError {
  const detail = { loc: ['body'], msg: 'is not complete multipart/form-data', type: 'multipart_invalid' };
  return invalid([detail]);
}
