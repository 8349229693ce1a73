import { Global, Module } from '@nestjs/common';
import { SketchEngine } from '@atelier/sketch';
import { ImageEngines } from '#application/render/image-engines.js';

/** Which engine draws what. Today every workflow is drawn by the sketch engine. */
@Global()
@Module({
  providers: [
    {
      provide: ImageEngines,
      useFactory: (): ImageEngines => {
        const sketch = new SketchEngine();
        return { engineFor: () => sketch };
      },
    },
  ],
  exports: [ImageEngines],
})
export class EnginesModule {}
