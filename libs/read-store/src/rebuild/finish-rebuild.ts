import type { Preparation } from './prepare-builds.js';
import type { RebuildSession } from './rebuild-session.js';
import { dropGeneration, loadGenerations } from './generations.js';

/** Keeps the generation that was live before, to go back to, and drops those that are older. */
export async function retireOlder({ control, environment }: RebuildSession, name: string): Promise<void> {
  const generations = (await loadGenerations(control, environment)).get(name) ?? [];
  const { rows } = await control.query<{ generation: number }>(
    `select generation from read_store.projections
      where environment = $1 and name = $2 and state = 'retired' order by updated_at desc, generation desc`,
    [environment, name],
  );
  const [kept] = rows.filter(({ generation }) =>
    generations.some((each) => each.generation === generation && each.hasTable),
  );
  for (const each of generations)
    if (each.state === 'retired' && each.generation !== kept?.generation)
      await dropGeneration(control, environment, each);
}

/**
 * Passes on to the projector which revision each stream had reached. It goes on from where the rebuilt generations are,
 * which is beyond where it stood itself: without this it would take the events in between for skipped ones.
 */
export async function tellTheProjector(
  { control }: RebuildSession,
  { consumer }: Preparation,
): Promise<void> {
  if (consumer === undefined) return;
  await control.query(
    `insert into read_store.stream_revisions as known (consumer, stream, revision)
      select 'projections', stream, revision from read_store.stream_revisions where consumer = $1 order by stream
      on conflict (consumer, stream) do update set revision = greatest(known.revision, excluded.revision)`,
    [consumer],
  );
}

/** The revisions that streams had reached are kept for going on after a crash, and for nothing else. */
export async function forgetRevisions({ control }: RebuildSession, { consumer }: Preparation): Promise<void> {
  if (consumer === undefined) return;
  await control.query('delete from read_store.stream_revisions where consumer = $1', [consumer]);
}

/** What was made to be compared with, and is of no other use. */
export async function removeCompared(session: RebuildSession, preparation: Preparation): Promise<void> {
  for (const { active } of preparation.builds)
    await dropGeneration(session.control, session.environment, active.checkpoint);
  await forgetRevisions(session, preparation);
}
