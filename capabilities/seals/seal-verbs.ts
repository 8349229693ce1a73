import type { Command } from 'commander';
import { lazily, verb } from '#operator-calls/verb.js';

const actions = () => import('./keys-and-proofs.js');

export function addProofVerbs(ledger: Command): void {
  verb(ledger, 'verify-proof', 'check a proof; needs no service and no network')
    .argument('<file>', 'what "ledger prove" or "ledger prove-order" printed')
    .requiredOption('--key <key>', 'the public key, as "seal key" prints it, or a file that holds it')
    .action(lazily(actions, 'verifyProof'));
}

export function addSealVerbs(seal: Command): void {
  verb(seal, 'key', 'the public half of the key that seals').action(lazily(actions, 'showSealKey'));

  verb(seal, 'rotate', 'make a key that may replace the key that seals now')
    .requiredOption('--output <file>', 'a new file for the new private key')
    .option('--lost <public key>', 'the old key, if it is lost and cannot sign; the audit reports this')
    .action(lazily(actions, 'rotateSealKey'));
}
