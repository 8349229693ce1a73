import '#platform/node-version.js';
import { runContext } from '#adapters/role-context.js';
import { createLogger } from '#platform/logger.js';
import { Installation } from '#read-store/installation.js';
import { Projector, ProjectorModule } from './projector.module.js';

await runContext(
  'projector',
  createLogger('projector'),
  (settings) => ProjectorModule.for(settings),
  (context) => async () => {
    const standing = context.get(Projector).standingStill();
    const problems = await context.get(Installation).problems();
    return [...standing.map((task) => `${task} stand still in this process`), ...problems];
  },
);
