import type { Command } from 'commander';
import { lazily, verb } from '#operator-calls/verb.js';

const actions = () => import('./verify-receipt.js');

export function addErasureVerbs(erasures: Command): void {
  verb(erasures, 'verify', 'check the receipt of an erasure; needs no service and no network')
    .argument('<file>', 'the answer of GET /v1/erasures/{public_id}/receipt')
    .requiredOption('--key <key>', 'the public key, as "seal key" prints it, or a file that holds it')
    .action(lazily(actions, 'verifyReceipt'));
}
