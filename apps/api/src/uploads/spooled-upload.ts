import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { ApiError, invalid } from '../http/api-error.js';
import { watchBody, type BodyWatch } from '../http/request-body.js';

export const uploadLimitBytes = 25 * 1024 * 1024;

/** More than the parts of a multipart form around its one file need. */
const framingBytes = 1024 * 1024;

/** A file of a request, on disk. */
export interface SpooledFile {
  readonly path: string;
  /** The name that the client gives. */
  readonly name: string | undefined;
  /** It has more than {@link uploadLimitBytes}, and its end is missing. Only among several files. */
  readonly isTooLarge: boolean;
}

type SpooledUpload<More> = AsyncDisposable & More & { readonly texts: Readonly<Record<string, unknown>> };

/** The text fields that a form may have, each at most once, and the most of its files, in the field `file`. */
export interface FormShape {
  readonly textFields: readonly string[];
  readonly files: number;
  /** The most bytes of all files together, with the last one whole. */
  readonly bytes: number;
}

/**
 * {@link spoolUploads} of exactly one file.
 * @throws ApiError as there, and 413 beyond {@link uploadLimitBytes}
 */
export async function spoolUpload(
  request: FastifyRequest,
  textFields: readonly string[] = [],
): Promise<SpooledUpload<{ readonly path: string }>> {
  const { files, ...upload } = await spoolUploads(request, { textFields, files: 1, bytes: uploadLimitBytes });
  return { ...upload, path: files[0]!.path };
}

/**
 * Writes the files of a multipart request to disk while they arrive, so that a slow client costs no memory.
 * The files are gone when the upload is disposed of. `texts` are the other fields, which are not checked yet.
 * @throws ApiError 413 beyond the bytes; 415 for another content type; 422 unless there is at least one file, and no
 *   unexpected field; 401 when the body is not the signed one; 408 when it takes too long
 */
export async function spoolUploads(
  request: FastifyRequest,
  shape: FormShape,
): Promise<SpooledUpload<{ readonly files: readonly SpooledFile[] }>> {
  if (!request.isMultipart()) {
    const fields = shape.files === 1 ? 'one binary field' : 'binary fields';
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Send the picture as multipart/form-data with ${fields} named file.`,
    );
  }
  const spools: Awaited<ReturnType<typeof openSpool>>[] = [];
  const discard = async () => void (await Promise.all(spools.map((each) => each.discard())));
  const over = new AbortController();
  const open = async () => {
    const spool = await openSpool();
    spools.push(spool);
    if (over.signal.aborted) await spool.discard();
    return spool;
  };
  try {
    const form = await receive(request, { ...shape, open, over: over.signal });
    return { ...form, [Symbol.asyncDispose]: discard };
  } catch (error) {
    // Aborts the write, because the file cannot be closed while it waits for the rest of the body. The rest is
    // still read, so that the client can read the answer.
    over.abort();
    request.raw.unpipe().resume();
    await discard();
    throw asApiError(error, shape);
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

interface Form extends FormShape {
  /** Opens the next file to write to. */
  readonly open: () => ReturnType<typeof openSpool>;
  readonly over: AbortSignal;
}

interface ReadForm {
  readonly files: readonly SpooledFile[];
  readonly texts: Readonly<Record<string, unknown>>;
}

/** The signature is verified after the whole body has arrived and before the picture is decoded. */
async function receive(request: FastifyRequest, form: Form): Promise<ReadForm> {
  using watch = watchBody(request);
  const { pendingSignature: signature } = request;
  const mostBytes = form.bytes + framingBytes;
  const ended = seeBody(request, watch, mostBytes, (chunk) => signature?.update(chunk));
  const writing = readForm(request, form).then(
    (read) => ({ read }),
    (error: unknown) => ({ error: asApiError(error, form) }),
  );
  const result = await Promise.race([writing, watch.tooSlow]);
  const oversized = 'error' in result && result.error instanceof ApiError && result.error.status === 413;
  if (signature && !oversized) {
    // Only a caller who signed the request gets to see the mistake in the form.
    request.raw.unpipe().resume();
    await Promise.race([ended, watch.tooSlow]);
    await signature.verify();
  }
  if ('error' in result) throw result.error;
  return result.read;
}

/**
 * Passes every piece of the body to `see`, beside the parser that the body is piped to. Call it right before
 * the pipe, because the first listener starts the flow.
 */
function seeBody(
  { raw }: FastifyRequest,
  watch: BodyWatch,
  mostBytes: number,
  see: (chunk: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined);
  let size = 0;
  raw.on('data', (chunk: Buffer) => {
    watch.progress();
    size += chunk.length;
    if (size > mostBytes) reject(tooLarge());
    else see(chunk);
  });
  raw.on('end', resolve);
  raw.on('close', () => reject(incomplete()));
  return promise;
}

async function readForm(request: FastifyRequest, form: Form): Promise<ReadForm> {
  const { textFields } = form;
  const texts: Record<string, unknown> = {};
  const files: SpooledFile[] = [];
  let bytes = 0;
  // Each limit is one more than is allowed, so that a surplus part is noticed and not silently dropped.
  const limits = {
    fileSize: uploadLimitBytes,
    files: form.files + 1,
    fields: textFields.length + 1,
    parts: textFields.length + form.files + 2,
    fieldSize: 1024,
    headerPairs: 32,
  };
  for await (const part of request.parts({ limits })) {
    const { fieldname: name } = part;
    if (part.type === 'field' && textFields.includes(name) && !Object.hasOwn(texts, name)) {
      texts[name] = part.value;
      continue;
    }
    const isFull = files.length === form.files;
    if (part.type !== 'file' || name !== 'file' || isFull) {
      if (part.type === 'file') part.file.resume();
      throw unexpectedPart(form, name, (name === 'file' && isFull) || Object.hasOwn(texts, name));
    }
    const { file, path } = await form.open();
    await pipeline(part.file, (source) => file.writeFile(source), { signal: form.over });
    if (part.file.truncated && form.files === 1) throw tooLarge();
    bytes += (await file.stat()).size;
    if (bytes > form.bytes) throw tooLargeTogether(form.bytes);
    files.push({ path, name: part.filename, isTooLarge: part.file.truncated });
  }
  if (files.length === 0)
    throw invalid([{ loc: ['body', 'file'], msg: 'is required: a picture', type: 'missing' }]);
  return { files, texts };
}

/** The bytes of one picture as they arrive. @throws ApiError 413 beyond {@link uploadLimitBytes} */
export async function* bounded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > uploadLimitBytes) throw tooLarge();
    yield chunk;
  }
}

export function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `A picture may have at most ${uploadLimitBytes} bytes (25 MiB).`);
}

function tooLargeTogether(mostBytes: number): ApiError {
  const message = `The pictures of one request may have at most ${mostBytes} bytes together: send them in several.`;
  return new ApiError('PAYLOAD_TOO_LARGE', `${message} Nothing was stored.`);
}

function unexpectedPart({ files, textFields }: FormShape, name: string, again: boolean): ApiError {
  const others = textFields.map((field) => ` and, optionally, a text field named ${field}`).join('');
  const pictures = files === 1 ? 'one binary field' : `1 to ${files} binary fields`;
  const most = name === 'file' && files > 1 ? `may be sent ${files} times` : 'may be sent once';
  const msg = again ? `${most} only` : `is not expected: send ${pictures} named file${others}`;
  return invalid([{ loc: ['body', name.slice(0, 64)], msg, type: 'extra_forbidden' }]);
}

/** Errors of the multipart parser are the caller's; errors of the disk are ours. */
function asApiError(error: unknown, shape: FormShape): unknown {
  if (error instanceof ApiError) return error;
  // Errors of the file system have both; other errors have neither.
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return error;
  if (code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return unexpectedPart(shape, 'file', true);
  }
  return incomplete();
}

function incomplete(): ApiError {
  const detail = { loc: ['body'], msg: 'is not complete multipart/form-data', type: 'multipart_invalid' };
  return invalid([detail]);
}
