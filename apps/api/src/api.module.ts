import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, Reflector } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { ListCatalogHandler } from '#application/catalog/list-catalog.handler.js';
import { CheckCompatibilityHandler } from '#application/compatibility/check-compatibility.handler.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { GetCreditsHandler } from '#application/credits/get-credits.handler.js';
import { DispatchWorkflowHandler } from '#application/dispatch/dispatch-workflow.handler.js';
import { Dispatcher } from '#application/dispatch/dispatcher.js';
import { DryRunHandler } from '#application/dispatch/dry-run.handler.js';
import { References } from '#application/dispatch/references.js';
import { AwaitJobHandler } from '#application/job/await-job.handler.js';
import { CancelJobHandler } from '#application/job/cancel-job.handler.js';
import { FollowJobHandler } from '#application/job/follow-job.handler.js';
import { GetJobEventsHandler } from '#application/job/get-job-events.handler.js';
import { GetJobHandler } from '#application/job/get-job.handler.js';
import { JobWatch } from '#application/job/job-watch.js';
import { ListJobsHandler } from '#application/job/list-jobs.handler.js';
import { NotedJobStreams } from '#application/job/noted-job-streams.js';
import { ListTransactionsHandler } from '#application/ledger/list-transactions.handler.js';
import { ListOperationsHandler } from '#application/operation/list-operations.handler.js';
import { StoredPictures } from '#application/picture/stored-pictures.js';
import { ListPresetsHandler } from '#application/preset/list-presets.handler.js';
import { RegisterProductHandler } from '#application/product/register-product.handler.js';
import { GetRenderHandler, ListRendersHandler } from '#application/render/renders.handler.js';
import { StoreUploadHandler } from '#application/upload/store-upload.handler.js';
import { ListUsageHandler } from '#application/usage/list-usage.handler.js';
import { RejectionLog } from '#application/usage/rejection-log.js';
import type { WorkflowName } from '#domain/workflow/workflows.js';
import {
  CLOCK,
  METRICS,
  PROBLEMS,
  SIGNED_OBJECTS,
  STORAGE,
  type ApiDependencies,
} from './api-dependencies.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { CatalogController } from './catalog/catalog.controller.js';
import { CompatibilityController } from './compatibility/compatibility.controller.js';
import { CreditsController } from './credits/credits.controller.js';
import { dispatchController } from './dispatch/dispatch.controller.js';
import { ImageModels } from './dispatch/image-model-rules.js';
import { JobWaits } from './dispatch/job-waits.js';
import { RefusedDispatches } from './dispatch/refused-dispatches.js';
import { workflowBodies } from './dispatch/workflow-bodies.js';
import { ErrorFilter } from './errors/error.filter.js';
import { GarmentCategoriesController } from './garment-categories/garment-categories.controller.js';
import { HealthController } from './health/health.controller.js';
import { Followers } from './jobs/followers.js';
import { JobEventsController } from './jobs/job-events.controller.js';
import { JobPresenter } from './jobs/job-presenter.js';
import { CancelController } from './jobs/cancel.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { ObjectsController } from './objects/objects.controller.js';
import { OperationsController } from './operations/operations.controller.js';
import { PresetsController } from './presets/presets.controller.js';
import { ProductsController } from './products/products.controller.js';
import { RendersController } from './renders/renders.controller.js';
import { TransactionsController } from './transactions/transactions.controller.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UsageController } from './usage/usage.controller.js';

const dispatchControllers = Object.entries(workflowBodies).map(([name, body]) =>
  // Object.entries forgets that the keys are names of the workflow table.
  dispatchController(name as WorkflowName, body),
);

const controllers = [
  ...dispatchControllers,
  UploadsController,
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
  HealthController,
];

@Module({})
export class ApiModule {
  /** The API on what it depends on. Everything lives as long as the process: nothing is made per request. */
  static on(dependencies: ApiDependencies): DynamicModule {
    const { objects, metrics } = dependencies;
    const optional = [...(objects ? [ObjectsController] : []), ...(metrics ? [MetricsController] : [])];
    return {
      module: ApiModule,
      imports: [CqrsModule.forRoot()],
      controllers: [...controllers, ...optional],
      providers: providersOn(dependencies),
    };
  }
}

function providersOn(dependencies: ApiDependencies): Provider[] {
  const { store, storage, clock, logger, problems, entrance, objects, metrics } = dependencies;
  const consistency = new ReadYourWrites(dependencies.checkpoints);
  const refusals = new RefusedDispatches(new RejectionLog(store), consistency, clock, logger);
  return [
    { provide: CLOCK, useValue: clock },
    { provide: STORAGE, useValue: storage },
    { provide: PROBLEMS, useValue: problems },
    ...(objects ? [{ provide: SIGNED_OBJECTS, useValue: objects }] : []),
    ...(metrics ? [{ provide: METRICS, useValue: metrics }] : []),
    { provide: ReadYourWrites, useValue: consistency },
    { provide: JobWatch, useValue: dependencies.jobWatch },
    { provide: ImageModels, useValue: new ImageModels(dependencies.imageModels) },
    {
      provide: JobWaits,
      inject: [QueryBus],
      useFactory: (queries: QueryBus) => new JobWaits(queries, logger),
    },
    { provide: Followers, useFactory: () => new Followers(entrance) },
    { provide: JobPresenter, useValue: new JobPresenter(storage) },
    { provide: APP_FILTER, useValue: new ErrorFilter(logger, refusals) },
    {
      provide: APP_GUARD,
      inject: [Reflector],
      useFactory: (reflector: Reflector) => new ApiKeyGuard(reflector, entrance),
    },
    ...handlersOn(dependencies, consistency),
  ];
}

/** Handlers take ports, which have no runtime type that Nest could inject by: they are made here. */
function handlersOn(dependencies: ApiDependencies, consistency: ReadYourWrites): Provider[] {
  const { store, accounts, idempotency, reads, storage } = dependencies;
  const jobStreams = new NotedJobStreams(dependencies.jobStreams, consistency);
  const pictures = new StoredPictures(store);
  const references = new References(store, pictures);
  const dispatcher = new Dispatcher(store, accounts, references, dependencies.operations);
  const getJob = new GetJobHandler(reads, jobStreams, consistency);
  const handlers = [
    new DispatchWorkflowHandler(dispatcher, idempotency),
    new StoreUploadHandler(store, storage),
    new RegisterProductHandler(store, pictures),
    new ListPresetsHandler(reads),
    new ListCatalogHandler(reads, consistency),
    new CheckCompatibilityHandler(reads, consistency),
    new ListJobsHandler(reads, consistency),
    getJob,
    new AwaitJobHandler(dependencies.jobWatch, store, getJob),
    new DryRunHandler(dependencies.operations, accounts, references),
    new FollowJobHandler(dependencies.jobWatch, jobStreams),
    new CancelJobHandler(store, accounts, jobStreams),
    new GetJobEventsHandler(reads, jobStreams, consistency),
    new ListRendersHandler(reads, consistency),
    new GetRenderHandler(reads, consistency),
    new GetCreditsHandler(accounts),
    new ListOperationsHandler(dependencies.operations),
    new ListTransactionsHandler(reads, accounts, consistency),
    new ListUsageHandler(reads, accounts, consistency),
  ];
  return handlers.map((handler) => ({ provide: handler.constructor, useFactory: () => handler, inject: [] }));
}
