import { Option, type Command } from 'commander';
import { lazily, verb } from '#operator-calls/verb.js';
import { environmentOption, wholeNumber } from '../command/arguments.js';

export function addLogVerbs(events: Command): void {
  const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

  verb(events, 'tail', 'events as they come, until Ctrl-C; with --json one line each')
    .addOption(environmentOption('only those of this environment'))
    .option('--prefix <prefix>', 'only streams with this prefix, for example job- ; repeatable', collect)
    .option('--type <type>', 'only events of this type, for example JobFailed ; repeatable', collect)
    .action(lazily(() => import('./events.js'), 'tailEvents'));

  verb(events, 'export', 'the log as it is stored, one JSON object a line, up to its present end')
    .option('--from <position|time>', 'begin after this position, or at this time')
    .option('--to <position|time>', 'end with this position, or at this time')
    .addOption(environmentOption('only events of this environment'))
    .option('--stream <stream>', 'only events of this stream')
    .option('--output <file>', 'a new file; without it, standard output')
    .option('--resume', 'continue where the file ends: an interrupted export, or one that you want to extend')
    .action(lazily(() => import('./export-events.js'), 'exportEvents'));

  const from = new Option(
    '--from <url>',
    'source: an address, `embedded`, or an exported file; without it, the event store of the service',
  );
  const to = new Option(
    '--to <url>',
    'target: an address, or `embedded`; it must be empty, or filled by an earlier copy',
  );
  const checkpoints = 'what to do with the positions of read models and process managers';
  verb(events, 'copy', 'copy the history into another store; may be stopped and run again at any time')
    .addOption(from.env('ATELIER_COPY_FROM'))
    .addOption(to.env('ATELIER_COPY_TO').makeOptionMandatory())
    .addOption(new Option('--checkpoints <how>', checkpoints).choices(['translate', 'reset']))
    .option('--seal', 'encrypt the personal words that the source has as plain text (docs/privacy.md)')
    .action(lazily(() => import('./copy-events.js'), 'copyHistory'));

  verb(events, 'adopt', 'accept the log up to now without the proof that each event must carry')
    .option('--accept <n>', 'how many events without proof you accept', wholeNumber(0, 1_000_000_000))
    .action(lazily(() => import('./adopt-history.js'), 'adoptEvents'));

  verb(
    events,
    'rewrap-keys',
    'wrap the keys of personal words by the present master key, after a rotation',
  ).action(lazily(() => import('./rewrap-keys.js'), 'rewrapKeys'));
}

export function addCheckpointVerbs(checkpoints: Command): void {
  verb(
    checkpoints,
    'reset',
    'make all of them start again at the first event of the log; stop all roles first',
  ).action(lazily(() => import('./reset-checkpoints.js'), 'resetAllCheckpoints'));
}
