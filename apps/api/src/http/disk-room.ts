import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';

/** Less is no room: an upload would not fit. */
const leastFreeBytes = 32 * 1024 * 1024;

/** How long a refusal says something about now. */
const freshForMs = 1_500;

/**
 * Whether there is room to write. For the folder of pictures, the file system reports it. For another server's
 * disk, the only sign is a write that was refused within the last moments.
 */
@Injectable()
export class DiskRoom {
  private refusedAt = -Infinity;

  constructor(@Inject(Configuration) private readonly configuration: Configuration) {}

  noteRefusal(): void {
    this.refusedAt = performance.now();
  }

  /** The problems as texts for people. Empty when there is room, as far as the process knows. */
  async problems(): Promise<string[]> {
    const refused = performance.now() - this.refusedAt < freshForMs;
    return refused || (await this.folderIsFull()) ? ['a disk is full'] : [];
  }

  private async folderIsFull(): Promise<boolean> {
    const { storage, home } = this.configuration;
    if (storage.kind !== 'folder') return false;
    // The folder of pictures is made with the first one.
    const found = await statfs(storage.directory)
      .catch(() => statfs(home))
      .catch(() => undefined);
    return found !== undefined && found.bavail * found.bsize < leastFreeBytes;
  }
}
