import { processManagers } from '#application/process-managers/process-managers.js';
import type { Workshop } from '../../worker/support/workshop.js';

/** True if the checkpoints of the process managers of `test` have passed all of their events. */
export async function handledAll(workshop: Workshop): Promise<boolean> {
  for (const { name, filter } of processManagers) {
    const { rows } = await workshop.query(
      'select position from test.process_checkpoints where process = $1 and position is not null',
      [name],
    );
    const [row] = rows as { position: string }[];
    // A process that has had no event has no checkpoint.
    const after = row && { after: BigInt(row.position) };
    if ((await workshop.store.readAll({ ...after, filter: filter('test'), limit: 1 })).length > 0)
      return false;
  }
  return true;
}
