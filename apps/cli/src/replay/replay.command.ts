import type { Command } from 'commander';
import { guarded, verb } from '../verb.js';

export function addReplay(program: Command): void {
  verb(program, 'replay', 'what a stream folds into, after each of its events')
    .argument(
      '<stream>',
      'an account, job, key, asset, product, preset or operation, for example test.account-01J…',
    )
    .option('--at <revision|time>', 'stop there: a revision, or a time such as 2026-01-31T12:00:00Z')
    .action(
      guarded(async (stream, options) => (await import('./replay-stream.js')).replayStream(stream, options)),
    );
}
