import '#platform/node-version.js';
import { Command, Help } from 'commander';
import { addNouns } from './command/commands.js';
import { versionOfThis } from '#platform/package-folder.js';
import { lazily, verb } from '#operator-calls/verb.js';

const program = new Command('atelier')
  .version(versionOfThis(), '-V, --version', 'which release this is')
  .description(
    "The operator's command. Works beside a running `npm start` on the same ATELIER_HOME, and elsewhere with DATABASE_URL.",
  )
  .configureHelp({
    sortSubcommands: true,
    // Every verb inherits this: the help marks mandatory options.
    optionDescription(option) {
      const told = new Help().optionDescription(option);
      return option.mandatory ? `${told} (required)` : told;
    },
  })
  .configureOutput({
    // Commander's own complaints look like ours: one line that begins with the name of the command.
    outputError: (text, write) => write(text.replace(/^error: /, 'atelier: ')),
  });

await addNouns(program, process.argv.slice(2));

verb(
  program,
  'migrate',
  'bring the database and the presets up to date; needed once a release, `npm start` does it by itself',
).action(lazily(() => import('./migrate.js'), 'migrateInstallation'));

verb(
  program,
  'restore-drill',
  'prove that an exported log can be restored: restore it into a scratch database, build all read models, and audit the result',
)
  .argument('<file>', 'a file that "events export --output" has written')
  .option(
    '--scratch <url>',
    'an empty database to use; without it, an embedded PostgreSQL that is removed afterwards',
  )
  .action(lazily(() => import('./events/restore-drill.js'), 'drillRestore'));

verb(
  program,
  'support-bundle',
  'a file for the people who help you: settings, doctor, what waits, logs, tables; no secret, no picture',
)
  .argument('<file>', 'a new file')
  .action(lazily(() => import('./health/support-bundle.js'), 'makeSupportBundle'));

verb(program, 'doctor', 'look at the database, the event store, the read models and the API').action(
  lazily(() => import('./health/doctor.js'), 'doctor'),
);

// `atelier events tail | head` closes our output early: that is a way to end, not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

// A shell calls `complete -- …` to get completions. Only then the command loads the library for shells.
if (process.argv[2] === 'complete') (await import('@bomb.sh/tab/commander')).default(program);
else
  program
    .command('complete <shell>')
    .description('a script that completes verbs and options; shell is bash, zsh, fish or powershell');

await program.parseAsync();
