import type { ProvenanceSettings } from './provenance.settings.js';
import { lapseOf, type ClaimSigner } from './provenance.key.js';

/** The signer of pictures at this time, or why there is none. */
export type Signing =
  | { readonly signer: ClaimSigner; readonly problem?: undefined }
  | { readonly signer?: undefined; readonly problem: string };

export function signingAt({ signer, certificate, problem }: ProvenanceSettings, at: Date): Signing {
  if (problem !== undefined) return { problem };
  const { certificate: used = certificate } = signer ?? {};
  if (!used) return { problem: 'ATELIER_PROVENANCE_CERT is not set' };
  if (!signer) return { problem: 'ATELIER_PROVENANCE_KEY is not set' };
  const lapse = lapseOf(used, at);
  return lapse === undefined
    ? { signer }
    : { problem: `the certificate in ATELIER_PROVENANCE_CERT ${lapse}` };
}
