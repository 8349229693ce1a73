import type { ErasableCall } from '#application/erasure/erasable-things.js';
import { engineFamilies } from '#platform/engine-families.js';

/** Whether the call's vendor deletes it when it is asked. */
export function isErasedAtVendor(
  call: ErasableCall,
): call is ErasableCall & { readonly vendorRequestId: string } {
  return call.vendorRequestId !== undefined && engineFamilies[call.vendor]?.erases === true;
}
