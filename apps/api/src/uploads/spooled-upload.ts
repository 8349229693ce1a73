import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { ApiError, invalid } from '../errors/api-error.js';

export const uploadLimitBytes = 25 * 1024 * 1024;

/** An upload as a file of ours, gone when it is disposed of. */
export interface SpooledUpload extends AsyncDisposable {
  readonly path: string;
}

/**
 * Writes the one file of a multipart request to disk as it comes in, so that a slow client costs no memory.
 * @throws ApiError 413 beyond {@link uploadLimitBytes}; 415 for another content type; 422 unless there is exactly one
 *   field, `file`, and it is a file
 */
export async function spoolUpload(request: FastifyRequest): Promise<SpooledUpload> {
  if (!request.isMultipart()) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the picture as multipart/form-data with one binary field named file.',
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'atelier-upload-'));
  const discard = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'upload');
    await writeOnlyFile(request, path);
    return { path, [Symbol.asyncDispose]: discard };
  } catch (error) {
    await discard();
    throw asApiError(error);
  }
}

async function writeOnlyFile(request: FastifyRequest, path: string): Promise<void> {
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
    await writePart(part, path);
  }
  if (!found) throw invalid([{ loc: ['body', 'file'], msg: 'is required: a picture', type: 'missing' }]);
}

async function writePart({ file }: MultipartFile, path: string): Promise<void> {
  await pipeline(file, createWriteStream(path, { mode: 0o600 }));
  if (file.truncated) {
    throw new ApiError('PAYLOAD_TOO_LARGE', `A picture may have at most ${uploadLimitBytes} bytes (25 MiB).`);
  }
}

function unexpectedPart(name: string, again: boolean): ApiError {
  const msg =
    name === 'file' && again ? 'may be sent once only' : 'is not expected: send one binary field named file';
  return invalid([{ loc: ['body', name.slice(0, 64)], msg, type: 'extra_forbidden' }]);
}

/** What the parser of multipart bodies complains about is the caller's to mend; what the disk says is ours. */
function asApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return error;
  if (code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return unexpectedPart('file', true);
  }
  const detail = { loc: ['body'], msg: 'is not complete multipart/form-data', type: 'multipart_invalid' };
  return invalid([detail]);
}
