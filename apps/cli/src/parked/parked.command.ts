import type { Command } from 'commander';
import { environmentOption } from '../arguments.js';
import { lazily, verb } from '../verb.js';

const actions = () => import('./parked.js');

export function addParked(program: Command): void {
  const parked = program
    .command('parked')
    .description('streams that a read model does not follow, because it cannot fold one of their events');

  verb(parked, 'list', 'which they are, what is wrong, and how many events wait')
    .addOption(environmentOption('only those of this environment'))
    .action(lazily(actions, 'listParked'));

  verb(parked, 'retry', 'fold their events with the code of this release; exit code 1 when some stay parked')
    .argument('[read-model]', 'all streams that are parked for this read model')
    .option('--stream <stream>', 'only this stream, for example test.account-01J…')
    .option('--all', 'whatever is parked')
    .addOption(environmentOption('only those of this environment'))
    .action(lazily(actions, 'retryParkedStreams'));
}
