import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PlatformModule } from '#adapters/platform.module.js';
import { Checkpoints } from '#application/consistency/read-your-writes.js';
import { IdempotencyStore } from '#application/dispatch/idempotency.js';
import { RateLimitStore, UsedOnce } from '#application/limits/rate-limit-store.js';
import { JobStreams, ReadModels } from '#application/read-models.js';
import { Database } from '#read-store/database.js';
import { EventStore } from '#event-store/event-store.js';
import { StorePresence } from '#event-store/store-presence.js';
import { SnapshotStore } from '#event-store/snapshots.js';
import { loadConfiguration } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { keepWritten } from '#platform/written-document.js';
import { Readiness } from '#platform/role-server.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { ApiModule } from './api.module.js';
import { openApiDocument } from './http/openapi-document.js';

const ports = [
  EventStore,
  StorePresence,
  SnapshotStore,
  ObjectStorage,
  ReadModels,
  JobStreams,
  Checkpoints,
  IdempotencyStore,
  RateLimitStore,
  UsedOnce,
  Readiness,
  Database,
];

/** The description does not call the API's dependencies, so its ports have no implementations here. */
@Global()
@Module({ providers: ports.map((provide) => ({ provide, useValue: {} })), exports: ports })
class Disconnected {}

async function generate(): Promise<string> {
  const configuration = loadConfiguration({
    DATABASE_URL: 'postgres://nowhere',
    URL_SIGNING_SECRET: 'unused',
  });
  const settings = { configuration, logger: createLogger('openapi') };
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.for(settings, [PlatformModule.of(settings), Disconnected]),
    new FastifyAdapter({ multipart: false }),
    { logger: false, abortOnError: false },
  );
  return `${JSON.stringify(await openApiDocument(app), null, 2)}\n`;
}

keepWritten('openapi.json', await generate());
