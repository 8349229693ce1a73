import type { Command } from 'commander';
import { environmentOption } from '../arguments.js';
import { lazily, verb } from '../verb.js';

const parkedActions = () => import('./parked.js');
const rebuilding = () => import('./rebuild-projections.js');

/** A verb over some read models, or all of them, in one environment or both. */
function overReadModels(parent: Command, name: string, description: string): Command {
  return verb(parent, name, description)
    .argument('[name...]', 'read models, for example jobs ledger')
    .option('--all', 'all read models')
    .addOption(environmentOption('only in this environment'));
}

const acceptDifferences = [
  '--accept-differences',
  'switch even where the new rows differ from the live ones',
] as const;

export function addProjections(program: Command): void {
  const projections = program
    .command('projections')
    .description('read models: how far they are, and rebuilding them from the history');

  verb(projections, 'list', 'every generation of every read model: state, position, rows, what is parked')
    .addOption(environmentOption('only this environment'))
    .action(lazily(() => import('./list-projections.js'), 'listProjections'));

  overReadModels(projections, 'rebuild', 'fold the history anew beside what is live, compare, and switch')
    .option(...acceptDifferences)
    .option('--no-switch', 'build and compare only: "projections switch" does the rest')
    .action(lazily(rebuilding, 'rebuildReadModels'));

  overReadModels(
    projections,
    'compare',
    'prove that the live rows are what the history says; changes nothing',
  ).action(lazily(rebuilding, 'compareReadModels'));

  overReadModels(projections, 'switch', 'compare what was built before once more, and switch to it')
    .option(...acceptDifferences)
    .action(lazily(rebuilding, 'switchReadModels'));

  overReadModels(projections, 'rollback', 'go back to the rows that were live before the last switch').action(
    lazily(rebuilding, 'rollBackReadModels'),
  );
}

export function addParked(program: Command): void {
  const parked = program
    .command('parked')
    .description('streams that a read model does not follow, because it cannot fold one of their events');

  verb(parked, 'list', 'which they are, what is wrong, and how many events wait')
    .addOption(environmentOption('only those of this environment'))
    .action(lazily(parkedActions, 'listParked'));

  verb(parked, 'retry', 'fold their events with the code of this release; exit code 1 when some stay parked')
    .argument('[read-model]', 'all streams that are parked for this read model')
    .option('--stream <stream>', 'only this stream, for example test.account-01J…')
    .option('--all', 'whatever is parked')
    .addOption(environmentOption('only those of this environment'))
    .action(lazily(parkedActions, 'retryParkedStreams'));
}
