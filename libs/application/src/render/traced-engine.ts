import { EngineError, type EngineStage, type RenderResult } from '@atelier/engine';
import { inSpan, openSpan, under } from '#platform/tracing.js';

type OnStage = (stage: EngineStage) => Promise<void>;

/**
 * Runs an engine in a span, with a span below it for each stage: an engine tells of a stage when it is done, so it
 * has lasted since the one before. What a stage brings about, its pictures and its event, belongs to its span.
 */
export function inEngineSpans(
  engine: string,
  onStage: OnStage,
  run: (onStage: OnStage) => Promise<RenderResult>,
): Promise<RenderResult> {
  return inSpan(
    'engine',
    { attributes: { 'atelier.engine': engine } },
    async ({ traceparent: parent, set }) => {
      let since = performance.now();
      const tracedStage: OnStage = async (stage) => {
        const attributes = { 'atelier.stage': stage.stage };
        const span = openSpan('stage', { parent, startedAt: since, attributes });
        try {
          await under(span, () => onStage(stage));
          span.end();
        } catch (error) {
          span.end(error);
          throw error;
        }
        since = performance.now();
      };
      try {
        return await run(tracedStage);
      } catch (error) {
        if (error instanceof EngineError) set({ 'atelier.error_class': error.errorClass });
        throw error;
      }
    },
  );
}
