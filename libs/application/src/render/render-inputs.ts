import { hash } from 'node:crypto';
import type { JobInputImage } from '#domain/job/job.events.js';
import { EngineError, type EngineImage } from '@atelier/engine';
import { ObjectNotFound, type ObjectStorage } from '#storage/object-storage.js';

export type RenderInputs =
  | { readonly kind: 'loaded'; readonly images: readonly EngineImage[] }
  /** A picture is gone, or has other bytes than when the job was queued. */
  | { readonly kind: 'broken'; readonly error: EngineError };

/**
 * The pictures of a job, verified against the hashes in its first event.
 * @throws the storage's errors when it is unreachable
 */
export async function loadInputs(
  storage: ObjectStorage,
  inputs: readonly JobInputImage[],
): Promise<RenderInputs> {
  const images: EngineImage[] = [];
  for (const { name, storageKey, sha256, meta } of inputs) {
    const bytes = await storage.get(storageKey).catch((error: unknown) => {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    });
    if (!bytes) return broken(name, 'is no longer stored');
    if (sha256Of(bytes) !== sha256) return broken(name, 'is not the picture that the job was queued with');
    images.push({ name, bytes, ...(meta && { meta }) });
  }
  return { kind: 'loaded', images };
}

/**
 * Loads the pictures of a batch's parent. A broken photograph fails its own job, and the others do without it.
 * The result is broken only if all photographs are.
 */
export async function loadIntactInputs(
  storage: ObjectStorage,
  inputs: readonly JobInputImage[],
): Promise<RenderInputs> {
  const each = await Promise.all(inputs.map((input) => loadInputs(storage, [input])));
  const images = each.flatMap((one) => (one.kind === 'loaded' ? one.images : []));
  return images.length === 0 && each[0] ? each[0] : { kind: 'loaded', images };
}

export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

function broken(name: string, problem: string): RenderInputs {
  return { kind: 'broken', error: new EngineError('bad_input', `The ${name} ${problem}. Upload it again.`) };
}
