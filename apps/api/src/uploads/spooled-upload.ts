import { mkdtemp, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { ApiError, invalid } from '../http/api-error.js';
import { watchBody, type BodyWatch } from '../http/request-body.js';

export const uploadLimitBytes = 25 * 1024 * 1024;

/** More than the parts of a multipart form around its one file need. */
const framingBytes = 1024 * 1024;

/**
 * Writes the one file of a multipart request to disk while it arrives, so that a slow client costs no memory.
 * The file is gone when the upload is disposed of. `texts` are the other fields, which are not checked yet.
 * @param textFields the names of the text fields that may come beside the file, each at most once
 * @throws ApiError 413 beyond {@link uploadLimitBytes}; 415 for another content type; 422 unless there is
 *   exactly one file, in the field `file`, and no unexpected field; 401 when the body is not the signed one; 408 when it takes too
 *   long
 */
export async function spoolUpload(
  request: FastifyRequest,
  textFields: readonly string[] = [],
): Promise<AsyncDisposable & { readonly path: string; readonly texts: Readonly<Record<string, unknown>> }> {
  if (!request.isMultipart()) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the picture as multipart/form-data with one binary field named file.',
    );
  }
  const { file, path, discard } = await openSpool();
  const over = new AbortController();
  try {
    const texts = await receive(request, { file, textFields, over: over.signal });
    return { path, texts, [Symbol.asyncDispose]: discard };
  } catch (error) {
    // Aborts the write, because the file cannot be closed while it waits for the rest of the body. The rest is
    // still read, so that the client can read the answer.
    over.abort();
    request.raw.unpipe().resume();
    await discard();
    throw asApiError(error);
  }
}

const prefix = 'atelier-upload-';

/**
 * A file without a name, on systems that allow it, such as Linux. So the photograph and its metadata disappear
 * with this process, however the process ends.
 */
export async function openSpool() {
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

/** No upload takes this long. A file of this age belongs to a process that has died. */
export const leftAfterMs = 15 * 60_000;

/** Removes files that uploads of any process left in the temporary folder, except those of running uploads. */
export async function clearLeftUploads(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  const clear = async (folder: string) => {
    if ((await stat(folder)).mtimeMs < Date.now() - leftAfterMs)
      await rm(folder, { recursive: true, force: true });
  };
  // A file that is gone or belongs to another user must not stop the removal of the others.
  await Promise.allSettled(names.map((name) => clear(join(tmpdir(), name))));
}

interface Form {
  /** Where the picture is written. */
  readonly file: FileHandle;
  readonly textFields: readonly string[];
  readonly over: AbortSignal;
}

/** The signature is verified after the whole body has arrived and before the picture is decoded. */
async function receive(request: FastifyRequest, form: Form): Promise<Readonly<Record<string, unknown>>> {
  using watch = watchBody(request);
  const { pendingSignature: signature } = request;
  const ended = seeBody(request, watch, (chunk) => signature?.update(chunk));
  const writing = readForm(request, form).then(
    (texts) => ({ texts }),
    (error: unknown) => ({ error: asApiError(error) }),
  );
  const read = await Promise.race([writing, watch.tooSlow]);
  const oversized = 'error' in read && read.error instanceof ApiError && read.error.status === 413;
  if (signature && !oversized) {
    // Only a caller who signed the request gets to see the mistake in the form.
    request.raw.unpipe().resume();
    await Promise.race([ended, watch.tooSlow]);
    await signature.verify();
  }
  if ('error' in read) throw read.error;
  return read.texts;
}

/**
 * Passes every piece of the body to `see`, beside the parser that the body is piped to. Call it right before
 * the pipe, because the first listener starts the flow.
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

async function readForm(
  request: FastifyRequest,
  { file, textFields, over }: Form,
): Promise<Readonly<Record<string, unknown>>> {
  const texts: Record<string, unknown> = {};
  let found = false;
  // Each limit is one more than is allowed, so that a surplus part is noticed and not silently dropped.
  const limits = {
    fileSize: uploadLimitBytes,
    files: 2,
    fields: textFields.length + 1,
    parts: textFields.length + 3,
    fieldSize: 1024,
    headerPairs: 32,
  };
  for await (const part of request.parts({ limits })) {
    const { fieldname: name } = part;
    if (part.type === 'field' && textFields.includes(name) && !Object.hasOwn(texts, name)) {
      texts[name] = part.value;
      continue;
    }
    if (part.type !== 'file' || name !== 'file' || found) {
      if (part.type === 'file') part.file.resume();
      throw unexpectedPart(name, (name === 'file' && found) || Object.hasOwn(texts, name), textFields);
    }
    found = true;
    await pipeline(part.file, (source) => file.writeFile(source), { signal: over });
    if (part.file.truncated) throw tooLarge();
  }
  if (!found) throw invalid([{ loc: ['body', 'file'], msg: 'is required: a picture', type: 'missing' }]);
  return texts;
}

export function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `A picture may have at most ${uploadLimitBytes} bytes (25 MiB).`);
}

function unexpectedPart(name: string, again: boolean, textFields: readonly string[] = []): ApiError {
  const others = textFields.map((field) => ` and, optionally, a text field named ${field}`).join('');
  const msg = again ? 'may be sent once only' : `is not expected: send one binary field named file${others}`;
  return invalid([{ loc: ['body', name.slice(0, 64)], msg, type: 'extra_forbidden' }]);
}

/** Errors of the multipart parser are the caller's; errors of the disk are ours. */
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
