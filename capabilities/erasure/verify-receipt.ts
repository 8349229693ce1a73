import { CallRefused } from '#operator-calls/call-refused.js';
import { printJson, printLine, printProperties } from '#operator-calls/output.js';
import { readText } from '#operator-calls/read-text.js';
import type { OutputOptions } from '#operator-calls/verb.js';
import { signs } from '#capabilities/parts.js';
import { signedText, type Receipt } from './receipt.js';

/** Needs no service. The exit code is 1 unless the key has signed the receipt. */
export async function verifyReceipt(
  file: string,
  { key, json }: OutputOptions & { readonly key: string },
): Promise<void> {
  if (!signs) throw new CallRefused('this installation signs nothing: no capability does it');
  const { isSigned, readPublicKey } = await signs();
  const publicKey = readPublicKey(key);
  const { key: named, signature, ...statement } = parsed(readText(file), file);
  if (signature === null) throw new CallRefused(`${file} is not signed: the service had no key`);
  // The text was made in the same way when it was signed.
  if (named !== publicKey || !isSigned(publicKey, signedText(JSON.stringify(statement)), signature))
    throw new CallRefused(`${file} proves nothing: its statement and signature do not fit ${publicKey}`);
  const { erasure_id, completed_at, by, erased, remains } = statement;
  if (json) return printJson({ proven: true, ...statement });
  printLine('Proven: the service with this key has stated this erasure, and the statement was not altered.');
  printProperties([
    ['erasure', erasure_id],
    ['completed', completed_at],
    ['by', by],
    ['pictures', String(erased.pictures.length)],
    ['jobs', String(erased.jobs.length)],
    ['products', String(erased.products.length)],
    ['records', String(erased.records.length)],
    ...remains.map(
      ({ where, until }) => ['remains', `${where}${until === null ? '' : `, until ${until}`}`] as const,
    ),
    ['key', publicKey],
  ]);
}

function parsed(text: string, file: string): Receipt {
  try {
    const receipt = JSON.parse(text) as Receipt;
    if (receipt.format === 'atelier erasure receipt 1') return receipt;
  } catch {
    // Not JSON.
  }
  throw new CallRefused(`${file} holds no receipt of an erasure`);
}
