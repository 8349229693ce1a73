import { Argument, type Command } from 'commander';
import { environmentOption, maxCreditsAtOnce, shortText, wholeNumber } from '../arguments.js';
import { lazily, verb } from '../verb.js';

const actions = () => import('./operations.js');
const everywhere = 'only in this environment';

export function addOperations(program: Command): void {
  const operations = program.command('operations').description('what can be dispatched, and what it costs');
  const names: Argument[] = [];
  const name = () => {
    const argument = new Argument('<name>', 'name of the workflow');
    names.push(argument);
    return argument;
  };
  // Their declarations bring the whole of the interface's description along: only these verbs wait for it.
  operations.hook('preSubcommand', async () => {
    const { workflows } = await import('#workflows/workflows.js');
    for (const argument of names) argument.choices(workflows.map((workflow) => workflow.name));
  });

  verb(operations, 'list', 'every workflow as it is now')
    .addOption(environmentOption(everywhere))
    .action(lazily(actions, 'listAllOperations'));

  verb(operations, 'price', 'what a dispatch costs from now on; charges that were made stay what they are')
    .addArgument(name())
    .argument('<credits>', 'how many', wholeNumber(1, maxCreditsAtOnce))
    .option('--reason <text>', 'why, for the record', shortText(1, 200), 'priced by the operator')
    .addOption(environmentOption(everywhere))
    .action(lazily(actions, 'setPrice'));

  verb(operations, 'enable', 'let it be dispatched again')
    .addArgument(name())
    .option('--reason <text>', 'why, for the record', shortText(1, 200), 'enabled by the operator')
    .addOption(environmentOption(everywhere))
    .action(lazily(actions, 'enable'));

  verb(operations, 'disable', 'refuse its dispatches; jobs that are under way go on')
    .addArgument(name())
    .option('--reason <text>', 'why, for the record', shortText(1, 200), 'disabled by the operator')
    .addOption(environmentOption(everywhere))
    .action(lazily(actions, 'disable'));
}
