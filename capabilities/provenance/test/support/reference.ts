import { generateKeyPairSync } from 'node:crypto';
import { messageOf } from '#platform/errors.js';
import { carrierOf } from '../../carriers.js';
import { certificateFor } from '../../home-certificate.js';

/** The reference validator is a binary for Linux on x64 with glibc: elsewhere these specs are skipped. */
export const hasReference =
  process.platform === 'linux' &&
  process.arch === 'x64' &&
  'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;

/** The validator's report, as far as specs read it: its own types are in a package that it does not install. */
export interface Report {
  readonly active_manifest: string;
  readonly manifests: Readonly<Record<string, ReportedManifest>>;
  readonly validation_status?: readonly { readonly code: string }[];
  readonly validation_state: string;
}

interface ReportedManifest {
  readonly claim_generator_info: readonly { readonly name: string }[];
  readonly signature_info: { readonly time?: string };
  readonly ingredients?: readonly ReportedIngredient[];
  readonly assertions: readonly { readonly label: string; readonly data: unknown }[];
}

interface ReportedIngredient {
  readonly title: string;
  readonly relationship: string;
  readonly active_manifest?: string;
  readonly validation_results?: {
    readonly activeManifest: Readonly<Record<'success' | 'failure', readonly { readonly code: string }[]>>;
  };
}

/** The reference validator's report on a picture; undefined: it has no Content Credentials. */
export async function judged(bytes: Buffer): Promise<Report | undefined> {
  const { Reader } = await import('@contentauth/c2pa-node');
  const mimeType = carrierOf(bytes) ?? 'none';
  return (await Reader.fromAsset({ buffer: bytes, mimeType }))?.json() as Report | undefined;
}

/** The manifest of the picture itself. @throws Error if it has none */
export async function manifestOf(bytes: Buffer): Promise<ReportedManifest> {
  const report = await judged(bytes);
  const manifest = report?.manifests[report.active_manifest];
  if (!manifest) throw new Error('the picture has no manifest');
  return manifest;
}

/** The complaints beside the one about certificates of one's own; the state is `Valid` if there are none. */
export async function complaintsAbout(bytes: Buffer): Promise<readonly string[]> {
  let report: Report | undefined;
  try {
    report = await judged(bytes);
  } catch (error) {
    return [messageOf(error)];
  }
  if (report === undefined) return ['no credentials'];
  const codes = (report.validation_status ?? []).map(({ code }) => code);
  const others = codes.filter((code) => code !== 'signingCredential.untrusted');
  if (report.validation_state !== 'Valid' && others.length === 0) return [report.validation_state];
  return others;
}

/** The picture with credentials that the reference implementation has made, as a vendor's might be. */
export async function signedByReference(bytes: Buffer, mimeType: string): Promise<Buffer> {
  const { Builder, LocalSigner } = await import('@contentauth/c2pa-node');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signer = LocalSigner.newSigner(
    Buffer.from(certificateFor(publicKey, new Date())),
    Buffer.from(key),
    'es256',
  );
  const digitalSourceType = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
  const builder = Builder.withJson({
    claim_generator_info: [{ name: 'A vendor' }],
    assertions: [
      { label: 'c2pa.actions', data: { actions: [{ action: 'c2pa.created', digitalSourceType }] } },
    ],
  });
  const output = { buffer: null as Buffer | null };
  builder.sign(signer, { buffer: bytes, mimeType }, output);
  if (!output.buffer) throw new Error('the reference implementation has signed nothing');
  return output.buffer;
}
