import type { Command } from 'commander';
import { guarded, verb } from '../verb.js';

export function addDoctor(program: Command): void {
  verb(program, 'doctor', 'look at the database, the event store, the read models and the API').action(
    guarded(async (options) => (await import('./doctor.js')).doctor(options)),
  );
}
