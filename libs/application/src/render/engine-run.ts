import type { EngineStage, ImageEngine, RenderRequest, RenderResult } from '@atelier/engine';

/** Why a running render has to end early. The first that applies decides. */
export interface Interruptions {
  readonly cancelled: AbortSignal;
  /** The worker stops, or its claim on the queue's task has lapsed. */
  readonly claim: AbortSignal;
  readonly timeout: AbortSignal;
}

/** An engine that does not obey its signal is left behind: what it still reports is not listened to. */
export async function renderUnlessInterrupted(
  engine: ImageEngine,
  request: RenderRequest,
  onStage: (stage: EngineStage) => Promise<void>,
  interruptions: Interruptions,
): Promise<RenderResult> {
  const over = new AbortController();
  const { cancelled, claim, timeout } = interruptions;
  const signal = AbortSignal.any([cancelled, claim, timeout, over.signal]);
  signal.throwIfAborted();
  const interrupted = new Promise<never>((_resolve, reject) => {
    // All signals here are aborted with errors.
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  const rendering = engine.render(request, {
    signal,
    onStage: async (stage) => {
      signal.throwIfAborted();
      await onStage(stage);
    },
  });
  try {
    return await Promise.race([rendering, interrupted]);
  } finally {
    over.abort(new Error('the render is over'));
    // Both have had their say; what comes of the loser of the race no longer matters.
    rendering.catch(() => undefined);
    interrupted.catch(() => undefined);
  }
}
