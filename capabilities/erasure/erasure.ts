import { accept, reject, type Decision } from '#domain/decision.js';
import type { ErasureEvent, ErasureStep } from './erasure.events.js';

type DataOf<Type extends ErasureEvent['type']> = Extract<ErasureEvent, { type: Type }>['data'];

export type RequestedErasure = DataOf<'ErasureRequested'>;
export type CompletedErasure = DataOf<'ErasureCompleted'>;

export interface DoneStep {
  readonly step: ErasureStep;
  readonly counts: Readonly<Record<string, number>>;
  readonly at: string;
}

/** unrequested → running → completed. */
export type Erasure =
  | { readonly status: 'unrequested' }
  | { readonly status: 'running'; readonly request: RequestedErasure; readonly steps: readonly DoneStep[] }
  | {
      readonly status: 'completed';
      readonly request: RequestedErasure;
      readonly steps: readonly DoneStep[];
      readonly completed: CompletedErasure;
      /** The answers of the vendors, once there are all of them. */
      readonly vendors?: DataOf<'ErasureVendorsAnswered'>;
    };

export type BegunErasure = Exclude<Erasure, { status: 'unrequested' }>;

export const initialErasure: Erasure = { status: 'unrequested' };

export function evolveErasure(state: Erasure, event: ErasureEvent): Erasure {
  switch (event.type) {
    case 'ErasureRequested':
      return { status: 'running', request: event.data, steps: [] };
    case 'ErasureStepped':
      return { ...known(state, event), steps: [...known(state, event).steps, event.data] };
    case 'ErasureCompleted':
      return { ...known(state, event), status: 'completed', completed: event.data };
    case 'ErasureVendorsAnswered':
      if (state.status !== 'completed') throw new Error('vendors answered before the erasure was completed');
      return { ...state, vendors: event.data };
    default:
      return event satisfies never;
  }
}

function known(state: Erasure, { type }: ErasureEvent): BegunErasure {
  if (state.status === 'unrequested') throw new Error(`${type} of an erasure that was never requested`);
  return state;
}

/** Requesting it again changes nothing: a retry uses the same id. */
export function requestErasure(command: RequestedErasure, state: Erasure): Decision<ErasureEvent> {
  if (state.status !== 'unrequested') return accept();
  return accept({ type: 'ErasureRequested', data: { ...command } });
}

type Unrequested = { readonly code: 'ERASURE_NOT_REQUESTED' };

/** Once for each step: a process that died after it repeats it. */
export function recordStep(
  step: DataOf<'ErasureStepped'>,
  state: Erasure,
): Decision<ErasureEvent, Unrequested> {
  if (state.status === 'unrequested') return reject({ code: 'ERASURE_NOT_REQUESTED' });
  const isDone = state.status === 'completed' || state.steps.some((done) => done.step === step.step);
  return isDone ? accept() : accept({ type: 'ErasureStepped', data: step });
}

export function completeErasure(
  command: CompletedErasure,
  state: Erasure,
): Decision<ErasureEvent, Unrequested> {
  if (state.status === 'unrequested') return reject({ code: 'ERASURE_NOT_REQUESTED' });
  return state.status === 'completed' ? accept() : accept({ type: 'ErasureCompleted', data: { ...command } });
}

/** Once. The worker asks when the erasure is completed. */
export function recordVendors(
  answered: DataOf<'ErasureVendorsAnswered'>,
  state: Erasure,
): Decision<ErasureEvent, { readonly code: 'ERASURE_NOT_COMPLETED' }> {
  if (state.status !== 'completed') return reject({ code: 'ERASURE_NOT_COMPLETED' });
  return state.vendors ? accept() : accept({ type: 'ErasureVendorsAnswered', data: answered });
}
