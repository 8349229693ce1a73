import type { X509Certificate } from 'node:crypto';
import type { SettingsReader } from '#platform/configuration.js';
import {
  readAuthorities,
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
  readonly timeStamps: TimeStampSettings;
}

export interface TimeStampSettings {
  /** The authority (RFC 3161) that confirms when a picture was signed. Undefined: pictures have no time-stamp. */
  readonly url: string | undefined;
  /** The certificates of authorities that are trusted, or of those that issue to them. Empty: none is. */
  readonly authorities: readonly X509Certificate[];
}

export function readProvenanceSettings(settings: SettingsReader): {
  readonly provenance: ProvenanceSettings;
} {
  const unsigned = settings.oneOf('ATELIER_UNSIGNED_PICTURES', ['refuse', 'accept'], 'refuse');
  const certificates = settings.text('ATELIER_PROVENANCE_CERT', '');
  const key = settings.text('ATELIER_PROVENANCE_KEY', '');
  const verifyPage = settings.flag('ATELIER_VERIFY_PAGE', false);
  const timeStamps = readTimeStampSettings(settings);
  const common = { unsigned, verifyPage, timeStamps };
  const without = { ...common, certificate: undefined, signer: undefined, problem: undefined };
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

function readTimeStampSettings(settings: SettingsReader): TimeStampSettings {
  const name = 'ATELIER_PROVENANCE_TSA_URL';
  // Answers are signed, so http is as good as https if the signer's certificate is given.
  const url = settings.urlIfGiven(name, ['https', 'http']);
  const { username = '', password = '' } = url !== undefined && URL.canParse(url) ? new URL(url) : {};
  if (url !== undefined && (!URL.canParse(url) || username || password))
    settings.problems.push(`${name} must be an address, without a name and password`);
  const certificates = settings.text('ATELIER_PROVENANCE_TSA_CERT', '');
  try {
    return { url, authorities: readAuthorities(certificates) };
  } catch (error) {
    // It throws a TypeError, which does not repeat the text.
    settings.problems.push((error as TypeError).message);
    return { url, authorities: [] };
  }
}
