import module from 'node:module';
import { Option, type Command } from 'commander';
import { nouns } from '#capabilities/parts.js';
import { environmentOption, wholeNumber } from './arguments.js';
import type { AnyCall } from '#operator-calls/call.js';
import type { Noun } from '#operator-calls/noun.js';
import { lazily, verb } from './verb.js';

/** Verbs that are no calls, by noun: they need the machine on which they are typed. */
const verbsOfMachine: Readonly<Record<string, (noun: Command) => void>> = {
  ledger: addProofVerbs,
  seal: addSealVerbs,
  events: addLogVerbs,
  checkpoints: addCheckpointVerbs,
};

/**
 * Adds what the operator can type. Only the noun that was typed loads its calls, so that a verb waits for no libraries
 * but its own.
 * @param typed the words behind the name of the command
 */
export async function addNouns(program: Command, typed: readonly string[]): Promise<void> {
  const wanted = typed.find((word) => Object.hasOwn(nouns, word));
  for (const [name, { about, calls }] of Object.entries(nouns)) {
    const loaded = name === wanted ? await callsIn(name, calls) : [];
    // A call of the noun's own name is the verb itself.
    const isVerb = loaded.some((call) => call.name === name);
    if (!isVerb) {
      const noun = program.command(name).description(about);
      verbsOfMachine[name]?.(noun);
    }
    if (loaded.length === 0) continue;
    const { addVerbOfCall } = await import('./verb-of-call.js');
    for (const call of loaded) addVerbOfCall(program, call);
  }
}

async function callsIn(noun: string, modules: Noun['calls']): Promise<AnyCall[]> {
  // Compiled code is kept on the disk between calls, which spares a verb about a third of its time.
  module.enableCompileCache?.();
  const loaded = await Promise.all(Object.values(modules).map((load) => load()));
  const { isCall } = await import('#operator-calls/call.js');
  return loaded
    .flatMap((exports): unknown[] => Object.values(exports))
    .filter(isCall)
    .filter(({ name }) => name.split(' ', 1)[0] === noun);
}

function addProofVerbs(ledger: Command): void {
  verb(ledger, 'verify-proof', 'check a proof; needs no service and no network')
    .argument('<file>', 'what "ledger prove" printed')
    .requiredOption('--key <key>', 'the public key, as "seal key" prints it, or a file that holds it')
    .action(lazily(() => import('./seals/proofs.js'), 'verifyProof'));
}

function addSealVerbs(seal: Command): void {
  const actions = () => import('./seals/seals.js');
  verb(seal, 'key', 'the public half of the key that seals').action(lazily(actions, 'showSealKey'));

  verb(seal, 'accept', 'after a restore: let sealing go on from where the log ends, although more was sealed')
    .requiredOption(
      '--reason <text>',
      'why less is sealed now: which backup was restored, or where the log was moved',
    )
    .action(lazily(() => import('./seals/heads.js'), 'acceptLog'));

  verb(seal, 'rotate', 'make a key that may go on in place of the one that seals now')
    .requiredOption('--output <file>', 'a new file for the new private key')
    .option('--lost <public key>', 'the old key, where it is lost and cannot sign: the audit will tell')
    .action(lazily(actions, 'rotateSealKey'));
}

function addLogVerbs(events: Command): void {
  const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

  verb(events, 'tail', 'events as they come, until Ctrl-C; with --json one line each')
    .addOption(environmentOption('only those of this environment'))
    .option('--prefix <prefix>', 'only streams that begin so, for example job- ; repeatable', collect)
    .option('--type <type>', 'only events of this type, for example JobFailed ; repeatable', collect)
    .action(lazily(() => import('./events/events.js'), 'tailEvents'));

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
    .action(lazily(() => import('./events/export-events.js'), 'exportEvents'));

  const from = new Option(
    '--from <url>',
    'source: an address, `embedded`, or a file that was exported; without it, where the service has its events',
  );
  const to = new Option('--to <url>', 'target, or `embedded`: empty, or what an earlier copy made of it');
  const checkpoints = 'what to do with the positions of read models and process managers';
  verb(events, 'copy', 'copy the history into another store; may be stopped and run again at any time')
    .addOption(from.env('ATELIER_COPY_FROM'))
    .addOption(to.env('ATELIER_COPY_TO').makeOptionMandatory())
    .addOption(new Option('--checkpoints <how>', checkpoints).choices(['translate', 'reset']))
    .action(lazily(() => import('./events/copy-events.js'), 'copyHistory'));

  verb(events, 'adopt', 'believe the log up to now without the proof that each event carries')
    .option('--accept <n>', 'events without proof that you answer for', wholeNumber(0, 1_000_000_000))
    .action(lazily(() => import('./events/adopt-history.js'), 'adoptEvents'));
}

function addCheckpointVerbs(checkpoints: Command): void {
  verb(
    checkpoints,
    'reset',
    'let all of them begin anew at the first event of the log; stop all roles before',
  ).action(lazily(() => import('./events/reset-checkpoints.js'), 'resetAllCheckpoints'));
}
