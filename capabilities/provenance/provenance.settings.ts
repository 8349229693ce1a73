import type { SettingsReader } from '#platform/configuration.js';
import {
  readClaimSigner,
  readSigningCertificate,
  type ClaimSigner,
  type SigningCertificate,
} from './provenance.key.js';

/** How pictures are signed, and who may ask about them. */
export interface ProvenanceSettings {
  /** Undefined: none is given, or it cannot be used. */
  readonly certificate: SigningCertificate | undefined;
  /** Undefined without the key, which only workers need. */
  readonly signer: ClaimSigner | undefined;
  /** Whether workers refuse to make pictures that they cannot sign. */
  readonly unsigned: 'refuse' | 'accept';
  /** Whether people without a key may ask where a picture comes from, at `/verify`. */
  readonly verifyPage: boolean;
  /** Why the certificate or its key cannot be used. */
  readonly problem: string | undefined;
}

export function readProvenanceSettings(settings: SettingsReader): {
  readonly provenance: ProvenanceSettings;
} {
  const unsigned = settings.oneOf('ATELIER_UNSIGNED_PICTURES', ['refuse', 'accept'], 'refuse');
  const certificates = settings.text('ATELIER_PROVENANCE_CERT', '');
  const key = settings.text('ATELIER_PROVENANCE_KEY', '');
  const verifyPage = settings.flag('ATELIER_VERIFY_PAGE', false);
  const without = { certificate: undefined, signer: undefined, unsigned, verifyPage, problem: undefined };
  if (!certificates && !key) return { provenance: without };
  try {
    const certificate = readSigningCertificate(certificates);
    const signer = key ? readClaimSigner(certificates, key) : undefined;
    return { provenance: { ...without, certificate, signer } };
  } catch (error) {
    // These functions throw TypeErrors, which do not repeat the texts.
    const problem = (error as TypeError).message;
    if (unsigned === 'refuse') settings.problems.push(problem);
    return { provenance: { ...without, problem } };
  }
}
