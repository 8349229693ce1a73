import type { Command } from 'commander';
import { lazily, verb } from '#operator-calls/verb.js';

const actions = () => import('./show-provenance.js');

export function addProvenanceVerbs(provenance: Command): void {
  verb(provenance, 'show', "a picture's Content Credentials; needs no service and no network")
    .argument('<file>', 'a picture: JPEG, PNG, WebP or AVIF')
    .option('--tsa-certificate <file>', 'certificates of authorities of time that are trusted, as PEM')
    .action(lazily(actions, 'showProvenance'));

  verb(provenance, 'verify', 'check that a picture is what was signed; needs no service and no network')
    .argument('<file>', 'a picture: JPEG, PNG, WebP or AVIF')
    .option('--certificate <file>', 'also require that this certificate signed it, as PEM')
    .option(
      '--tsa-certificate <file>',
      'also require a time-stamp of an authority that these certificates lead to, as PEM',
    )
    .option(
      '--seal-key <key>',
      'also require that a seal of this public key covers its order: the key, or a file that holds it',
    )
    .option(
      '--proof <file>',
      'with --seal-key: what "ledger prove-order" printed; without it, the seal is only claimed',
    )
    .option('--offline', 'the only way to verify; scripts may say so')
    .action(lazily(actions, 'verifyProvenance'));
}
