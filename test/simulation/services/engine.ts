import {
  EngineError,
  type ArtifactKind,
  type EnginePicture,
  type ImageEngine,
  type RenderContext,
  type RenderRequest,
  type RenderResult,
} from '@atelier/engine';
import type { Process, Scheduler } from '../kernel/scheduler.js';

/**
 * The outcome of one call of the engine. `stages`: two stages, then success. `deaf`: it takes a while and
 * ignores its signal. `endless`: longer than any worker waits. `throws`: not an EngineError. `empty`: no
 * picture.
 */
export const fates = [
  'success',
  'stages',
  'partial',
  'policy',
  'bad_input',
  'no_image',
  'capacity',
  'outcome_unknown',
  'misconfigured',
  'throws',
  'empty',
  'deaf',
  'endless',
] as const;

export type Fate = (typeof fates)[number];

/** Fields of a request body that only the simulation reads. */
export interface SimulatedBody {
  /** Unique for each dispatch, and for each photograph of a batch. */
  readonly label: string;
  /** One for each call of the engine; then `success`. */
  readonly fates: readonly Fate[];
}

export class SimulatedEngine implements ImageEngine {
  readonly name = 'simulated';

  constructor(
    private readonly scheduler: Scheduler,
    private readonly process: Process,
    /** Called with each call of the engine. @returns the number of earlier calls */
    private readonly onCall: (label: string, inputs: RenderRequest['inputs']) => number,
  ) {}

  async render(request: RenderRequest, context: RenderContext): Promise<RenderResult> {
    const { label, fates: planned } = request.body as unknown as SimulatedBody;
    const fate = planned[this.onCall(label, request.inputs)] ?? 'success';
    const grouping = request.workflow === 'pdp-batch-extractions';
    await this.work(fate === 'endless' ? 3_600_000 : fate === 'deaf' ? 20_000 : 20, fate, context);
    const success = {
      message: 'Drawn.',
      model: 'simulated-1',
      pictures: [picture(label, 'on_model_render', grouping)],
    };
    switch (fate) {
      case 'stages':
        for (const stage of ['croquis', 'composition'] as const) {
          await context.onStage({ stage, message: stage, pictures: [picture(label, stage, false)] });
          await this.work(5, fate, context);
        }
        return success;
      case 'partial':
        return { ...success, failures: [{ arm: 'person', code: 'NO_PERSON_FOUND', message: 'Nobody.' }] };
      case 'empty':
        return { ...success, pictures: [] };
      case 'throws':
        throw new Error('the engine broke');
      case 'policy':
      case 'bad_input':
      case 'no_image':
      case 'outcome_unknown':
      case 'misconfigured':
        throw new EngineError(fate, `It ended with ${fate}.`);
      case 'capacity':
        throw new EngineError(fate, 'Busy.', 2_000);
      case 'success':
      case 'deaf':
      case 'endless':
        return success;
      default:
        return fate satisfies never;
    }
  }

  private async work(ms: number, fate: Fate, { signal }: RenderContext): Promise<void> {
    if (fate === 'deaf') return this.scheduler.after(this.process, ms);
    await this.scheduler.after(this.process, ms, signal);
    signal.throwIfAborted();
  }
}

function picture(label: string, kind: ArtifactKind, grouping: boolean): EnginePicture {
  const meta = grouping ? { axis: 'person', member_indices: [0] } : {};
  const bytes = Buffer.from(`${label}/${kind}`);
  return { kind, label: kind, bytes, contentType: 'image/png', width: 8, height: 8, meta };
}
