import { Command } from 'commander';
import { addCredits } from './credits/credits.command.js';
import { addDoctor } from './doctor/doctor.command.js';
import { addEvents } from './events/events.command.js';
import { addKeys } from './keys/keys.command.js';
import { addLedger } from './ledger/ledger.command.js';
import { addMigrate } from './migrate/migrate.command.js';
import { addOperations } from './operations/operations.command.js';
import { addOrphans } from './orphans/orphans.command.js';
import { addParked } from './parked/parked.command.js';
import { addPresets } from './presets/presets.command.js';
import { addProjections } from './projections/projections.command.js';
import { addReplay } from './replay/replay.command.js';
import { addTenants } from './tenants/tenants.command.js';

const program = new Command('atelier')
  .description(
    "The operator's command. Works beside a running `npm start` on the same ATELIER_HOME, and elsewhere with DATABASE_URL.",
  )
  .configureOutput({
    // Commander's own complaints look like ours: one line, after the name of the command.
    outputError: (text, write) => write(text.replace(/^error: /, 'atelier: ')),
  });

addTenants(program);
addKeys(program);
addCredits(program);
addLedger(program);
addOperations(program);
addPresets(program);
addOrphans(program);
addEvents(program);
addProjections(program);
addParked(program);
addReplay(program);
addMigrate(program);
addDoctor(program);

// `atelier events tail | head` closes our output early: that is a way to end, not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

await program.parseAsync();
