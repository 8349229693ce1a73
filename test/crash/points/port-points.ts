import { ServerResponse } from 'node:http';
import { StreamWordErasure } from '#event-store/sealed/erase-words.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { CheckpointWatcher } from '#read-store/checkpoint-watcher.js';
import { PostgresIdempotencyStore } from '#read-store/idempotency-store.js';
import { JobsReader } from '#projections/readers.js';
import { LedgerReader } from '#projections/ledger/ledger.reader.js';
import type { ImageEngine } from '@atelier/engine';
import { callSite, type Recorder } from './recorder.js';

type Method = (this: unknown, ...args: unknown[]) => Promise<unknown>;

/**
 * Makes the other ports' calls crash points. It patches every instance, so the wiring stays that of the
 * service.
 */
export function recordPorts(recorder: Recorder): void {
  const { role } = recorder;
  const record = (type: { prototype: object }, port: string, operations: readonly string[]) => {
    const methods = type.prototype as Record<string, Method>;
    for (const operation of operations) {
      const method = methods[operation];
      if (!method) throw new Error(`${port} has no ${operation} any more`);
      methods[operation] = function (...args) {
        const site = callSite();
        // Housekeeping looks for late pictures from time to time, so no scenario is sure to pass that.
        if (site === 'late-pictures') return method.apply(this, args);
        const points = [`${role}:${port}.${operation}@${site}`];
        return recorder.through(points, () => method.apply(this, args));
      };
    }
  };
  record(PostgresIdempotencyStore, 'idempotency', ['begin', 'reassign', 'answer', 'forget', 'release']);
  record(FolderStorage, 'storage', ['put', 'get', 'create', 'erase']);
  record(StreamWordErasure, 'words', ['eraseWords', 'eraseTenant']);
  record(PgBossRenderQueue, 'queue', ['enqueue']);
  record(CheckpointWatcher, 'read-store', ['waitFor']);
  record(JobsReader, 'jobs', ['find', 'children']);
  recordOpenCharges(recorder);
  recordAnswers(recorder);
}

/** The sweep runs all the time and mostly finds nothing; only a find counts. */
function recordOpenCharges(recorder: Recorder): void {
  const { openChargesOlderThan } = LedgerReader.prototype;
  const points = [`${recorder.role}:ledger.openChargesOlderThan@orphan-sweep`];
  LedgerReader.prototype.openChargesOlderThan = function (...args) {
    return recorder.through(
      points,
      () => openChargesOlderThan.apply(this, args),
      ({ length }) => length > 0,
    );
  };
}

/** The last thing that a request awaits: its answer goes out. */
function recordAnswers(recorder: Recorder): void {
  const { end } = ServerResponse.prototype;
  type End = (this: ServerResponse, ...args: unknown[]) => ServerResponse;
  const recorded: End = function (this: ServerResponse, ...args) {
    const accepted = this.req.method === 'POST' && this.statusCode < 300;
    if (!accepted) return (end as End).apply(this, args);
    const points = [
      `${recorder.role}:http.answer@${this.req.url?.endsWith('/cancel') ? 'cancel' : 'dispatch'}`,
    ];
    const passage = recorder.enter(points);
    const ended = (end as End).apply(this, args);
    recorder.leave(points, passage);
    return ended;
  };
  // Types do not show which overload of `end` is called, so the arguments are passed on unchanged.
  ServerResponse.prototype.end = recorded as typeof end;
}

export function recordEngine(recorder: Recorder, engine: ImageEngine): ImageEngine {
  const points = [`${recorder.role}:engine.render@engine-run`];
  return {
    name: engine.name,
    render: (request, context) => recorder.through(points, () => engine.render(request, context)),
  };
}
