import type { Command } from 'commander';
import { guarded, verb } from '../verb.js';

export function addMigrate(program: Command): void {
  verb(
    program,
    'migrate',
    'bring the database and the presets up to date; needed once a release, `npm start` does it by itself',
  ).action(guarded(async (options) => (await import('./migrate.js')).migrate(options)));
}
