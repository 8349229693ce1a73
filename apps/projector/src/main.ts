import '#platform/node-version.js';
import { openContext, runApp } from '#adapters/role-context.js';
import { Installation } from '#read-store/installation.js';
import { Projector, ProjectorModule } from './projector.module.js';

await runApp('projector', async (settings) => {
  const app = await openContext(ProjectorModule.for(settings));
  const problems = async () => {
    const standing = app.get(Projector).standingStill();
    const others = await app.get(Installation).problems();
    return [...standing.map((task) => `${task} stand still in this process`), ...others];
  };
  return { app, problems };
});
