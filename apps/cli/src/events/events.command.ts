import { Option, type Command } from 'commander';
import { environmentOption, wholeNumber } from '../arguments.js';
import { lazily, verb } from '../verb.js';

const actions = () => import('./events.js');
const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

export function addEvents(program: Command): void {
  const events = program.command('events').description('the log, as it is stored');

  verb(events, 'show', 'the events of one stream')
    .argument('<stream>', 'name of the stream, for example test.job-01J…')
    .option('--from <revision>', 'first revision to show', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--limit <n>', 'most events to show', wholeNumber(1, 4_096), 100)
    .action(lazily(actions, 'showEvents'));

  verb(events, 'tail', 'events as they come, until Ctrl-C; with --json one line each')
    .addOption(environmentOption('only those of this environment'))
    .option('--prefix <prefix>', 'only streams that begin so, for example job- ; repeatable', collect)
    .option('--type <type>', 'only events of this type, for example JobFailed ; repeatable', collect)
    .action(lazily(actions, 'tailEvents'));

  verb(events, 'export', 'the log as it is stored, one JSON object a line, up to its end of now')
    .option('--from <position|time>', 'begin after this position, or at this time')
    .option('--to <position|time>', 'end with this position, or at this time')
    .addOption(environmentOption('only events of this environment'))
    .option('--stream <stream>', 'only events of this stream')
    .option('--output <file>', 'a new file; without it, standard output')
    .option(
      '--resume',
      'go on where the file ends, after an export that was interrupted or that you want to continue',
    )
    .action(lazily(() => import('./export-events.js'), 'exportEvents'));

  verb(events, 'copy', 'copy the history into another store; may be stopped and run again at any time')
    .addOption(
      new Option('--from <url>', 'source; without it, where the service has its events').env(
        'ATELIER_COPY_FROM',
      ),
    )
    .addOption(
      new Option('--to <url>', 'target: empty, or what an earlier copy made of it')
        .env('ATELIER_COPY_TO')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--checkpoints <how>',
        'what to do with the positions of read models and process managers',
      ).choices(['translate', 'reset']),
    )
    .action(lazily(() => import('./copy-events.js'), 'copyHistory'));
}
