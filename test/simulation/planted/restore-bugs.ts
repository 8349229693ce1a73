import type { Command, CommandBus } from '@nestjs/cqrs';
import { CloseCharge } from '#application/account/charges.handler.js';
import { sweepOrphans } from '#application/process-managers/orphan-sweep.js';
import { LogMismatch, resumeFrom } from '#read-store/log-fit.js';
import { sound, type Wiring } from '../wiring.js';

/** Jobs whose task was lost stay without a task. */
export const tasksStayLost: Partial<Wiring> = { look: () => Promise.resolve(0) };

/** Only jobs that belong to no batch get their task again. */
export const photographsStayLost: Partial<Wiring> = {
  withoutTask: (jobs) => jobs.filter(({ parentJobId }) => parentJobId === null),
};

/** Only photographs get their task again. */
export const onlyPhotographsComeBack: Partial<Wiring> = {
  withoutTask: (jobs) => jobs.filter(({ parentJobId }) => parentJobId !== null),
};

/** Every checkpoint is accepted as it is, without a look at its event. */
export const positionBelieved: Partial<Wiring> = {
  resume: (_store, checkpoint) => Promise.resolve(checkpoint),
};

/** A checkpoint that does not fit the log is ignored, and the consumer goes on. */
export const mismatchPassedOver: Partial<Wiring> = {
  resume: (store, checkpoint) =>
    resumeFrom(store, checkpoint).catch((error: unknown) => {
      if (error instanceof LogMismatch) return checkpoint;
      throw error;
    }),
};

/** A checkpoint names the first event of its batch, so the others are delivered again. */
export const anchorOfTheFirst: Partial<Wiring> = { anchorOf: ({ events }) => events[0] };

/** An answer under a key is repeated although the log has lost its job. */
export const lostAnswerBelieved: Partial<Wiring> = {
  dispatcher: (...parts) =>
    Object.assign(sound.dispatcher(...parts), { isOnLog: () => Promise.resolve(true) }),
};

/** The sweep leaves the charges of jobs alone, ended or not. */
export const settlementsStayLost: Partial<Wiring> = {
  sweep: ({ commands, ...options }) => {
    const execute = async (command: Command<unknown>) => {
      const end = command instanceof CloseCharge ? command.data : undefined;
      const isOfJob = end && !(end.kind === 'refund' && end.reason === 'orphaned');
      return isOfJob ? undefined : commands.execute(command);
    };
    return sweepOrphans({
      ...options,
      commands: Object.assign(Object.create(commands) as CommandBus, { execute }),
    });
  },
};

/** The API takes dispatches whatever the checkpoints say. */
export const logNotWatched: Partial<Wiring> = { watchesLog: false };

export const resetKeepsRows: Partial<Wiring> = { resetKeeps: 'rows' };
export const resetKeepsProcessManagers: Partial<Wiring> = { resetKeeps: 'process-managers' };
