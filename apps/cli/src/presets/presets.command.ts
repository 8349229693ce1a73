import type { Command } from 'commander';
import { environmentOption, shortText, ulid } from '../arguments.js';
import { lazily, verb } from '../verb.js';

const actions = () => import('./presets.js');
const everywhere = 'only in this environment';

export function addPresets(program: Command): void {
  const presets = program.command('presets').description('models, backgrounds and shots to choose from');

  verb(presets, 'publish', "a preset of your own from a file, or with --all this release's own")
    .argument('[file]', 'JSON: {id?, kind, label, spec, image}; image is the path of a JPEG beside it')
    .option('--all', 'those that come with this release, also the ones that were retired')
    .addOption(environmentOption(everywhere))
    .action(lazily(actions, 'publishPresets'));

  verb(presets, 'list', 'every preset, retired ones included')
    .addOption(environmentOption(everywhere))
    .action(lazily(actions, 'listAllPresets'));

  verb(presets, 'retire', 'take a preset out of use; jobs that were queued with it still render')
    .argument('<id>', 'id of the preset, as `presets list` shows it', ulid)
    .option('--reason <text>', 'why, for the record', shortText(1, 200), 'retired by the operator')
    .addOption(environmentOption(everywhere))
    .action(lazily(actions, 'retireOwnPreset'));
}
