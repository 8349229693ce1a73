import module from 'node:module';
import type { Command } from 'commander';
import { nouns } from '#capabilities/parts.js';
import type { AnyCall } from '#operator-calls/call.js';
import type { Noun } from '#operator-calls/noun.js';

/**
 * Adds what the operator can type. Only the noun that was typed loads its verbs, so that a verb waits for no libraries
 * but its own.
 * @param typed the words behind the name of the command
 */
export async function addNouns(program: Command, typed: readonly string[]): Promise<void> {
  const wanted = typed.find((word) => Object.hasOwn(nouns, word));
  for (const [name, parts] of Object.entries(nouns)) {
    const about = parts.find((part) => part.about !== undefined)?.about ?? '';
    const isWanted = name === wanted;
    const loaded = isWanted ? (await Promise.all(parts.map(({ calls }) => callsIn(name, calls)))).flat() : [];
    // A call of the noun's own name is the verb itself.
    const isVerb = loaded.some((call) => call.name === name);
    if (!isVerb) {
      const noun = program.command(name).description(about);
      for (const { verbs } of isWanted ? parts : []) (await verbs?.())?.(noun);
    }
    if (loaded.length === 0) continue;
    const { addVerbOfCall } = await import('./verb-of-call.js');
    for (const call of loaded) addVerbOfCall(program, call);
  }
}

async function callsIn(noun: string, files: Noun['calls']): Promise<AnyCall[]> {
  // Compiled code is kept on the disk between calls, which spares a verb about a third of its time.
  module.enableCompileCache?.();
  const loaded = await Promise.all(files.map((load) => load()));
  const { isCall } = await import('#operator-calls/call.js');
  return loaded
    .flatMap((exports): unknown[] => Object.values(exports))
    .filter(isCall)
    .filter(({ name }) => name.split(' ', 1)[0] === noun);
}
