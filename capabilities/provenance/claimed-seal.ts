import { checksProof } from '#capabilities/parts.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { readText } from '#operator-calls/read-text.js';
import type { OrderAssertion } from './order-assertion.js';

/** `claimed`: who signed the picture says so. `proven`: the proof shows that the sealed log has the order. */
export interface CheckedSeal {
  readonly state: 'claimed' | 'proven';
  readonly number: number;
  readonly root: string;
}

/**
 * Checks what a picture's order says about its seal. The manifest names the seal and cannot prove it: that takes a
 * proof, which has the event's path to the seal's root and the seal's signature.
 * @param key the public key of the seals, or the name of a file that holds it
 * @param proof the name of the file
 * @throws CallRefused if it does not hold
 */
export async function checkSeal(
  { ordered_by: ordered, seal: claimed }: OrderAssertion,
  key: string,
  proof: string | undefined,
): Promise<CheckedSeal> {
  if (!checksProof) throw new CallRefused('seals are not installed here');
  const seals = await checksProof();
  if (proof === undefined) {
    if (!claimed)
      throw new CallRefused(
        'the picture names no seal, because none covered its order yet when it was signed: add --proof',
      );
    if (claimed.key !== seals.publicKeyFrom(key))
      throw new CallRefused(`the picture names a seal of another key: ${claimed.key}`);
    return { state: 'claimed', number: claimed.number, root: claimed.root };
  }
  const proven = seals.proven(readText(proof), key);
  if (!proven) throw new CallRefused(`${proof} proves nothing under this key`);
  const { seal, id, stream, revision } = proven;
  if (id !== ordered.event || stream !== ordered.stream || revision !== ordered.revision)
    throw new CallRefused(`${proof} is about another event: ${stream}, revision ${revision}`);
  if (claimed && (claimed.root !== seal.root || claimed.number !== seal.number || claimed.key !== seal.key))
    throw new CallRefused(`the picture names another seal than ${proof}: its number is ${claimed.number}`);
  return { state: 'proven', number: seal.number, root: seal.root };
}
