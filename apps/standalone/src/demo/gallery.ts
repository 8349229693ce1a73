import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import sharp from 'sharp';

export interface SavedPicture {
  /** Relative to the working directory. */
  readonly path: string;
  readonly width: number;
  readonly height: number;
}

/** Writes pictures to a folder, having decoded them: what cannot be shown is not saved. */
export class Gallery {
  readonly #directory: string;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.#directory = directory;
  }

  /** @throws Error when the bytes are not a picture */
  async save(name: string, bytes: Buffer): Promise<SavedPicture> {
    const { format, width, height } = await sharp(bytes).metadata();
    await sharp(bytes).stats();
    const extension = format === 'jpeg' ? 'jpg' : format;
    const path = join(this.#directory, `${name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.${extension}`);
    writeFileSync(path, bytes);
    return { path: relative(process.cwd(), path), width, height };
  }
}
