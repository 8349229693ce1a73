import { newId } from '#platform/ids.js';
import { type DynamicModule, Module } from '@nestjs/common';
import { StreamCommandsModule } from '../stream-commands.module.js';
import { StoreRenderHandler } from '../picture/store-picture.handler.js';
import { Cancellations } from './cancellations.js';
import { PictureFinisher } from './finished-pictures.js';
import { JobRenderer, RenderSettings } from './job-renderer.js';
import { PictureFinishers } from './picture-finishers.js';

@Module({})
export class RenderModule {
  static with(settings: Omit<RenderSettings, 'workerId'>): DynamicModule {
    const useFactory = (): RenderSettings => ({ workerId: `worker-${newId()}`, ...settings });
    return {
      module: RenderModule,
      imports: [StreamCommandsModule],
      providers: [
        { provide: RenderSettings, useFactory },
        { provide: PictureFinisher, useClass: PictureFinishers },
        Cancellations,
        JobRenderer,
        StoreRenderHandler,
      ],
      exports: [RenderSettings, JobRenderer],
    };
  }
}
