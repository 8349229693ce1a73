import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { EventLogModule } from '#adapters/event-log.module.js';
import { InstallationModule } from '#adapters/installation.module.js';
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { PlatformModule, type Adapters, type ProcessSettings } from '#adapters/platform.module.js';
import { CheckpointsModule, ReadStoreModule, RequestStoresModule } from '#adapters/read-store.module.js';
import { modulesFor } from '#capabilities/parts.js';
import { CatalogModule } from '#application/catalog/catalog.module.js';
import { ConsistencyModule } from '#application/consistency/consistency.module.js';
import { DispatchModule } from '#application/dispatch/dispatch.module.js';
import { JobModule } from '#application/job/job.module.js';
import { LedgerModule } from '#application/ledger/ledger.module.js';
import { LimitsModule } from '#application/limits/limits.module.js';
import { OperationModule } from '#application/operation/operation.module.js';
import { PictureModule } from '#application/picture/picture.module.js';
import { ProductModule } from '#application/product/product.module.js';
import { shareConnections } from '#platform/connections.js';
import { workflows } from '#workflows/workflows.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { ClientTokens } from './auth/client-tokens.js';
import { ClientTokensController } from './auth/client-tokens.controller.js';
import { CatalogController } from './catalog/catalog.controller.js';
import { CompatibilityController, GarmentCategoriesController } from './catalog/garments.controller.js';
import { CreditsController, TransactionsController } from './account/credits.controller.js';
import { dispatchController, Dispatches } from './dispatch/dispatch.controller.js';
import { ImageModels } from './dispatch/image-model-rules.js';
import { JobWaits } from './dispatch/job-waits.js';
import { RefusedDispatches } from './dispatch/refused-dispatches.js';
import { DiskRoom } from './http/disk-room.js';
import { ConsoleController, DocsController } from './docs/docs.controller.js';
import { ErrorFilter } from './http/error.filter.js';
import { HealthController, MetricsController } from './http/probes.controller.js';
import { Followers } from './jobs/followers.js';
import { JobEventsController } from './jobs/job-events.controller.js';
import { JobPictures } from './jobs/job-pictures.js';
import { JobPresenter } from './jobs/job-presenter.js';
import { CancelController, JobsController } from './jobs/jobs.controller.js';
import { ImageModelsController, OperationsController } from './dispatch/operations.controller.js';
import { ThumbnailUrls } from './uploads/thumbnail-urls.js';
import { ThumbnailsController } from './uploads/thumbnails.controller.js';
import { GoneObjectsController, ObjectsController } from './uploads/objects.controller.js';
import { ServedPictures } from './uploads/served-pictures.js';
import { PresetsController } from './catalog/presets.controller.js';
import { ProductsController } from './catalog/products.controller.js';
import { RendersController } from './catalog/renders.controller.js';
import { DirectUploads } from './uploads/direct-uploads.js';
import { DirectUploadsController } from './uploads/direct-uploads.controller.js';
import { UploadIntake } from './uploads/upload-intake.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UsageController } from './account/usage.controller.js';
import { SignatureCheck } from './auth/signature.js';
import { SignInLinkController } from './auth/sign-in-link.controller.js';
import { hasParentWithLink } from '#platform/sign-in-link.js';

const controllers = [
  ...workflows.map((workflow) => dispatchController(workflow)),
  UploadsController,
  DirectUploadsController,
  ThumbnailsController,
  ProductsController,
  PresetsController,
  CatalogController,
  GarmentCategoriesController,
  CompatibilityController,
  JobsController,
  JobEventsController,
  CancelController,
  RendersController,
  CreditsController,
  UsageController,
  TransactionsController,
  OperationsController,
  ImageModelsController,
  ClientTokensController,
];

/** Modules outside the interface. Their routes come last in openapi.json, after those of capabilities. */
@Module({
  providers: [DiskRoom],
  controllers: [HealthController, ConsoleController, DocsController],
  exports: [DiskRoom],
})
class ProbesAndPagesModule {}

const features = [
  CatalogModule,
  ConsistencyModule,
  DispatchModule,
  JobModule,
  LedgerModule,
  LimitsModule,
  OperationModule,
  PictureModule,
  ProductModule,
];

const providers: Provider[] = [
  DirectUploads,
  Dispatches,
  Followers,
  JobPictures,
  JobPresenter,
  JobWaits,
  RefusedDispatches,
  ServedPictures,
  { provide: APP_FILTER, useClass: ErrorFilter },
  { provide: APP_GUARD, useClass: ApiKeyGuard },
  ImageModels,
  SignatureCheck,
  ClientTokens,
  ThumbnailUrls,
  UploadIntake,
];

/** The adapters of the API. When the app stops, they close in reverse order. */
function adaptersFor(settings: ProcessSettings): Adapters {
  const { events, reads, keys } = shareConnections('api', settings.configuration.databaseConnections);
  return [
    PlatformModule.of(settings),
    EventLogModule.with({ maxConnections: events, failAtOnce: true }),
    ReadStoreModule.with({ maxConnections: reads }),
    CheckpointsModule,
    RequestStoresModule.with({ maxConnections: keys }),
    InstallationModule.with('api', { levels: true }),
    ObjectStorageModule,
  ];
}

@Module({})
export class ApiModule {
  /** No provider is made for each request. @param adapters replace the adapters that the configuration names */
  static for(settings: ProcessSettings, adapters: Adapters = adaptersFor(settings)): DynamicModule {
    const servesObjects = settings.configuration.storage.kind === 'folder';
    return {
      module: ApiModule,
      imports: [CqrsModule.forRoot(), ...adapters, ...features, ...modulesFor('api'), ProbesAndPagesModule],
      controllers: [
        ...controllers,
        servesObjects ? ObjectsController : GoneObjectsController,
        ...(hasParentWithLink() ? [SignInLinkController] : []),
        ...(settings.metrics && settings.configuration.publicMetrics ? [MetricsController] : []),
      ],
      providers,
    };
  }
}
