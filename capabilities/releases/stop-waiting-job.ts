import type { CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#application/command-context.js';
import { StopWaitingJob } from '#application/job/job-writes.handler.js';
import { releaseKeeper } from './release-keeper.follows.js';

const reason =
  'The release that allowed the use of a person has ended before the job began. Your credits were refunded.';

/** Cancels a job that no worker has taken up; the charge closer refunds it. Any other job stays as it is. */
export async function stopWaitingJob(
  commands: CommandBus,
  context: Omit<CommandContext, 'commandId' | 'actor'>,
  jobId: string,
): Promise<void> {
  const caused = { ...context, commandId: `release-ended:${jobId}`, actor: `saga:${releaseKeeper}` };
  await commands.execute(new StopWaitingJob(caused, jobId, { reason }));
}
