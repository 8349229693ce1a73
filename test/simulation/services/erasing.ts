import type { CommandBus } from '@nestjs/cqrs';
import { ErasableThings } from '#application/erasure/erasable-things.js';
import { AfterRestore } from '#capabilities/erasure/after-restore.js';
import { Closings } from '#capabilities/erasure/closing/closings.handler.js';
import { KeptClosings } from '#capabilities/erasure/closing/kept-closings.js';
import { ErasureProcess } from '#capabilities/erasure/erasure-process.js';
import { Extents } from '#capabilities/erasure/extent.js';
import { HoldsInForce } from '#capabilities/erasure/keeping/holds-in-force.js';
import { Expiry } from '#capabilities/erasure/keeping/expiry.js';
import { KeptErasures } from '#capabilities/erasure/kept-erasures.js';
import { LatePictures } from '#capabilities/erasure/late-pictures.js';
import { Erasures } from '#capabilities/erasure/manage-erasures.handler.js';
import { ErasureOrders } from '#capabilities/erasure/order-erasure.js';
import { Persons } from '#capabilities/erasure/persons.js';
import { RefuseThings } from '#capabilities/erasure/refuse-things.js';
import { ErasureRequests } from '#capabilities/erasure/request-erasure.js';
import { UnfinishedErasures } from '#capabilities/erasure/unfinished-erasures.js';
import { ReleaseCare } from '#capabilities/releases/release-care.js';
import { ReleaseKeeper } from '#capabilities/releases/release-keeper.js';
import { erasersOfCapabilities, recordsOfPersons, signs } from '#capabilities/parts.js';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';
import type { Installation } from '../installation.js';
import type { Process } from '../kernel/scheduler.js';
import { simulatedSecrets } from '../replicas/simulated-secrets.js';
import { SimulatedKnownReleases } from './known-releases.js';
import { SimulatedReads } from './reads.js';
import { SimulatedStorage } from './storage.js';
import { SimulatedWords } from './words.js';

// Loaded before the first run: a module that is loaded in the middle of a run takes time that no seed decides.
await Promise.all([erasersOfCapabilities(), recordsOfPersons(), signs?.()]);

/** Of the configuration, erasures read only this. No tenant is warned, and none has a rule. */
const configuration = {
  ...simulatedSecrets,
  erasure: { backupDays: 35, closingNoticeDays: 30 },
  keeping: { usual: {}, most: {}, warningDays: 0 },
  sealing: { key: undefined },
} as unknown as Configuration;

interface Ports {
  readonly store: EventStore;
  readonly commands: CommandBus;
}

/** The parts of erasures and releases in one process, put together as their Nest modules do. */
export function erasingIn(installation: Installation, process: Process, { store, commands }: Ports) {
  const { wiring, scheduler, clock, logger, log, objects, destroyedKeys, invariants } = installation;
  const simulated = new SimulatedReads(installation, process);
  const { database, models, due } = simulated;
  const storage = wiring.erasedStorage(new SimulatedStorage(objects, scheduler, process));
  const things = new ErasableThings(store);
  const extents = wiring.extents(new Extents(things, models, database));
  const reached = simulated.reached(store);
  const erasures = new Erasures(store);
  const holds = wiring.holds(new HoldsInForce(store, things));
  const orders = new ErasureOrders(extents, erasures, holds, reached);
  const kept = new KeptErasures(storage, simulatedSecrets);
  const refusals = wiring.refusals(new RefuseThings(commands));
  const words = wiring.words(new SimulatedWords(destroyedKeys, log, scheduler, process));
  const known = new SimulatedKnownReleases(store, database, logger, scheduler, process);
  const readerOfReleases = simulated.releases((releaseId) => invariants.releases.missed(releaseId));
  // No job calls a vendor.
  const carriedOut = new ErasureProcess(
    ...([erasures, extents, refusals, reached, kept, storage, database, words] as const),
    ...([undefined as never, configuration, clock] as const),
  );
  return {
    known,
    afterRestore: new AfterRestore(
      ...([kept, erasures, refusals, new Closings(store)] as const),
      ...([new KeptClosings(storage, simulatedSecrets), reached, configuration, clock, logger] as const),
    ),
    /** For the API. The answers to its requests are not kept under keys here. */
    requests: new ErasureRequests(extents, orders, holds, undefined as never),
    persons: new Persons(models, database, reached),
    /** For the projector. */
    erasures: carriedOut,
    keeper: new ReleaseKeeper(commands, known, readerOfReleases, clock),
    housekeeping: {
      expiry: new Expiry(commands, due, orders, reached, configuration, clock),
      unfinished: new UnfinishedErasures(carriedOut, database, clock),
      latePictures: new LatePictures(commands, models, storage, words, clock),
      releaseCare: new ReleaseCare(commands, readerOfReleases, clock),
    } satisfies Record<string, HousekeepingTask>,
  };
}

export type Erasing = ReturnType<typeof erasingIn>;
