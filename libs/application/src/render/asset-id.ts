import { derivedId } from '#platform/ids.js';

/**
 * The id of a picture that a render made. It is derived and not drawn, so that storing the same picture of the same
 * attempt again stores it under the same name.
 */
export function renderedAssetId(jobId: string, attempt: number, index: number, startedAt: Date): string {
  return derivedId(`${jobId}/${attempt}/${index}`, startedAt.getTime());
}
