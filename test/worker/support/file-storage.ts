import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ObjectNotFound, type ObjectStorage } from '#storage/object-storage.js';

/** Objects as plain files in a folder: all that a worker needs of a storage. Shared by processes. */
export class FileStorage implements ObjectStorage {
  constructor(private readonly folder: string) {}

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }

  async get(key: string): Promise<Buffer> {
    try {
      return await readFile(join(this.folder, key));
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new ObjectNotFound(key) : error;
    }
  }

  presignGet(key: string): Promise<string> {
    return Promise.resolve(pathToFileURL(join(this.folder, key)).href);
  }
}
