import type { Command, CommandBus } from '@nestjs/cqrs';
import { CloseCharge } from '#application/account/charges.handler.js';
import { sweepOrphans } from '#application/process-managers/orphan-sweep.js';
import { LogMismatch, resumeFrom } from '#read-store/log-fit.js';
import { sound, type Wiring } from '../wiring.js';

export const restoreBugs = {
  /** Jobs whose task was lost stay without a task. */
  'tasks-stay-lost': { look: () => Promise.resolve(0) },

  /** Only jobs that belong to no batch get their task again. */
  'photographs-stay-lost': {
    withoutTask: (jobs) => jobs.filter(({ parentJobId }) => parentJobId === null),
  },

  /** Only photographs get their task again. */
  'only-photographs-come-back': {
    withoutTask: (jobs) => jobs.filter(({ parentJobId }) => parentJobId !== null),
  },

  /** Every checkpoint is accepted as it is, without a look at its event. */
  'position-believed': { resume: (_store, checkpoint) => Promise.resolve(checkpoint) },

  /** A checkpoint that does not fit the log is ignored, and the consumer goes on. */
  'mismatch-passed-over': {
    resume: (store, checkpoint) =>
      resumeFrom(store, checkpoint).catch((error: unknown) => {
        if (error instanceof LogMismatch) return checkpoint;
        throw error;
      }),
  },

  /** A checkpoint names the first event of its batch, so the others are delivered again. */
  'anchor-of-the-first': { anchorOf: ({ events }) => events[0] },

  /** The API takes dispatches whatever the checkpoints say. */
  'log-not-watched': { watchesLog: false },

  'reset-keeps-rows': { resetKeeps: 'rows' },

  /** An answer under a key is repeated although the log has lost its job. */
  'lost-answer-believed': {
    dispatcher: (...parts) =>
      Object.assign(sound.dispatcher(...parts), { isOnLog: () => Promise.resolve(true) }),
  },

  /** The sweep leaves the charges of jobs alone, ended or not. */
  'settlements-stay-lost': {
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
  },

  'reset-keeps-process-managers': { resetKeeps: 'process-managers' },
} satisfies Record<string, Partial<Wiring>>;
