import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type Type,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { EventLogModule } from '#adapters/event-log.module.js';
import { InstallationModule } from '#adapters/installation.module.js';
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { PlatformModule, type Adapters, type ProcessSettings } from '#adapters/platform.module.js';
import { HousekeepingStoresModule, ReadStoreModule } from '#adapters/read-store.module.js';
import { RenderQueueModule } from '#adapters/render-queue.module.js';
import type {
  Follows,
  HousekeepingTask,
  LogWatcher,
  ProcessManager,
} from '#application/process-managers/process-manager.js';
import {
  batchParentsFollows,
  chargeCloserFollows,
  filterOf,
  renderDispatcherFollows,
} from '#application/process-managers/process-managers.js';
import { BatchParents } from '#application/process-managers/batch-parents.js';
import { ChargeCloser } from '#application/process-managers/charge-closer.js';
import { ProcessManagersModule } from '#application/process-managers/process-managers.module.js';
import { RenderDispatcher } from '#application/process-managers/render-dispatcher.js';
import { IncomingPictures } from '#application/picture/incoming-pictures.js';
import { KeptAnswers } from '#application/render/kept-answers.js';
import { environments, type Environment } from '#domain/streams.js';
import { readModels } from '#projections/read-models.js';
import { ConsumerHalted } from '#read-store/consumer-errors.js';
import { processTask } from '#read-store/process-runner.js';
import { ProjectionRunner } from '#read-store/projection-runner.js';
import { runTasks, type Task } from '#read-store/exclusive-session.js';
import { ReadPace } from '#read-store/read-pace.js';
import { installed } from '#capabilities/installed.js';
import { modulesFor } from '#capabilities/parts.js';
import { Housekeeping } from './housekeeping.js';
import { EventStore } from '#event-store/event-store.js';
import { Configuration } from '#platform/configuration.js';
import { shareConnections } from '#platform/connections.js';
import { Logger } from '#platform/logger.js';

/**
 * Runs the read models and the process managers of both environments. Any number of projectors may run. Each of
 * these tasks is active in one of them, and the others stand by to take it over.
 */
@Injectable()
export class Projector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly projections = new Map<Environment, ProjectionRunner>();
  /** Watchers of the log that have halted. */
  private readonly halted: string[] = [];
  private running: Promise<unknown> | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly housekeeping: Housekeeping,
    private readonly pace: ReadPace,
    private readonly modules: ModuleRef,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** The tasks that stand still until this process starts again, such as `live projections`. */
  standingStill(): readonly string[] {
    const halted = environments.filter(
      (environment) => this.projections.get(environment)?.status.state === 'halted',
    );
    const names = halted.map((environment) => `${environment} projections`);
    return [...names, ...this.halted];
  }

  async onApplicationBootstrap(): Promise<void> {
    const { signal } = this.stopping;
    const { databaseUrl: url } = this.configuration;
    const managers = await this.processManagers();
    const cares = await this.housekeepingTasks();
    // Both environments share one log. The session of the first environment watches it.
    const ofAll = await this.watchers();
    const tasks = environments.flatMap((environment, index) => [
      runTasks({
        url,
        tasks: [...this.tasksOf(environment, managers), ...(index === 0 ? ofAll : [])],
        onReadWaits: () => this.pace.hurry(),
        signal,
        log: this.logger,
      }),
      this.housekeeping.run(environment, cares, signal),
    ]);
    this.running = Promise.all(tasks);
  }

  /** Finishes the batches at hand. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** The kernel's and those of capabilities, each with what it follows. */
  private async processManagers(): Promise<(readonly [Follows, ProcessManager])[]> {
    const own = [
      [renderDispatcherFollows, RenderDispatcher],
      [chargeCloserFollows, ChargeCloser],
      [batchParentsFollows, BatchParents],
    ] as const;
    const ofCapabilities = installed
      .flatMap(({ processManagers = [] }) => processManagers)
      .map(async (each) => [each, await each.load()] as const);
    return [...own, ...(await Promise.all(ofCapabilities))].map(([follows, type]) => [
      follows,
      this.get<ProcessManager>(type),
    ]);
  }

  private async housekeepingTasks(): Promise<HousekeepingTask[]> {
    const types = installed.flatMap(({ housekeeping = [] }) => housekeeping.map((load) => load()));
    return (await Promise.all(types)).map((type) => this.get(type));
  }

  /** Tasks of capabilities that work on the whole log. */
  private async watchers(): Promise<Task[]> {
    const declared = installed.flatMap(({ watchers = [] }) => watchers);
    const types = await Promise.all(declared.map(async ({ name, load }) => [name, await load()] as const));
    return types.flatMap(([name, type]) => {
      const watch = this.get<LogWatcher>(type).watch();
      if (!watch) return [];
      const run: Task['run'] = (_, signal) =>
        watch(signal).catch((error: unknown) => {
          if (error instanceof ConsumerHalted) this.halted.push(name);
          throw error;
        });
      return [{ lock: `atelier.process.${name}`, run }];
    });
  }

  private get<T>(type: Type<T>): T {
    return this.modules.get<T>(type, { strict: false });
  }

  private tasksOf(
    environment: Environment,
    managers: readonly (readonly [Follows, ProcessManager])[],
  ): Task[] {
    const { store: eventStore, logger: log } = this;
    const { databaseUrl: url } = this.configuration;
    const common = { eventStore, environment, log };
    const projections = new ProjectionRunner({ ...common, url, readModels });
    this.projections.set(environment, projections);
    const processes = managers.map(([follows, manager]) =>
      processTask({
        ...common,
        name: follows.name,
        filter: filterOf(follows, environment),
        begin: () => manager.begin?.(environment),
        handle: (events) => manager.handle(environment, events),
      }),
    );
    return [projections, ...processes];
  }
}

/** The adapters of the projector. When the app stops, the last one closes first. */
function adaptersFor(settings: ProcessSettings, { patienceMs }: ReadPace): Adapters {
  const { events } = shareConnections('projector', settings.configuration.databaseConnections);
  return [
    PlatformModule.of(settings),
    EventLogModule.with({ maxConnections: events, patienceMs }),
    ReadStoreModule.with({ maxConnections: 1 }),
    HousekeepingStoresModule,
    InstallationModule.with('projector', { levels: true }),
    RenderQueueModule.with({ supervise: false }),
    ObjectStorageModule,
  ];
}

@Module({})
export class ProjectorModule {
  /** @param adapters in place of those that the configuration names */
  static for(settings: ProcessSettings, adapters?: Adapters): DynamicModule {
    const pace = new ReadPace(settings.configuration.projector.pauseMs);
    return {
      module: ProjectorModule,
      imports: [
        CqrsModule.forRoot(),
        ...(adapters ?? adaptersFor(settings, pace)),
        ProcessManagersModule,
        ...modulesFor('projector'),
      ],
      providers: [
        Projector,
        Housekeeping,
        IncomingPictures,
        KeptAnswers,
        { provide: ReadPace, useValue: pace },
      ],
    };
  }
}
