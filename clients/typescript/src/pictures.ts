/**
 * The value of a picture field: an id that the service knows, or a picture to upload. A picture is a `File` or
 * another `Blob`, bytes, a stream, or, where there is a file system, the path of a file.
 */
export type Picture = string | PictureFile;

export type PictureFile =
  Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | { readonly path: string };

export function isPictureFile(value: unknown): value is PictureFile {
  if (value instanceof Blob || value instanceof Uint8Array || value instanceof ReadableStream) return true;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return false;
  const [only, ...others] = Object.keys(value);
  return only === 'path' && others.length === 0;
}

/** The whole file in memory, so that it can be sent again: pictures are at most 25 MiB. */
export async function blobOf(file: PictureFile): Promise<Blob> {
  if (file instanceof Blob) return file;
  if (file instanceof Uint8Array) return new Blob([file]);
  if (file instanceof ReadableStream) return new Response(file).blob();
  // Loaded at run time, not imported: bundlers for browsers fail on a missing module.
  const files = globalThis.process?.getBuiltinModule?.('node:fs/promises');
  if (!files) throw new TypeError('A path needs a file system: give a File, a Blob, bytes or a stream here.');
  return new Blob([await files.readFile(file.path)]);
}

/** The body with each file replaced by the result of `upload`. The same file is uploaded once. */
export async function withUploads(
  body: object,
  upload: (file: PictureFile) => Promise<string>,
): Promise<object> {
  const uploaded = new Map<PictureFile, Promise<string>>();
  const replace = async (value: unknown): Promise<unknown> => {
    if (isPictureFile(value)) {
      const id = uploaded.get(value) ?? upload(value);
      uploaded.set(value, id);
      return id;
    }
    if (Array.isArray(value)) return Promise.all(value.map(replace));
    if (typeof value !== 'object' || value === null) return value;
    return withFields(value, replace);
  };
  return withFields(body, replace);
}

async function withFields(object: object, replace: (value: unknown) => Promise<unknown>): Promise<object> {
  const fields = Object.entries(object).map(async ([name, value]) => [name, await replace(value)] as const);
  return Object.fromEntries(await Promise.all(fields));
}
