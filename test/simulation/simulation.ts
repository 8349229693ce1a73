import { drawIdsFrom } from '#platform/ids.js';
import { describeAction, type Action, type ReplicaName, type Step } from './actions.js';
import { Callers } from './callers.js';
import { Installation } from './installation.js';
import { ApiReplica } from './replicas/api.js';
import { overdueMs, processNames, projections, ProjectorReplica } from './replicas/projector.js';
import type { Replica } from './replicas/replica.js';
import { WorkerReplica } from './replicas/worker.js';
import { sound, type Wiring } from './wiring.js';

export interface SimulationResult {
  /** The first rule that was broken; undefined: everything held. */
  readonly violation: string | undefined;
  readonly turns: number;
  readonly events: number;
  readonly trace: readonly string[];
}

/** More turns than any correct run needs; a run with more loops forever. */
const maxTurns = 60_000;

const dayMs = 24 * 3_600_000;

class Broken extends Error {}

/**
 * Runs a scenario on an installation of its own: two API processes, two workers, two projectors. Every step is
 * an action and some turns. Then everything is started, given time and swept until nothing happens any more. At
 * last all process managers get the history again, which must not change anything.
 */
export async function simulate(
  steps: readonly Step[],
  options: {
    readonly wiring?: Wiring;
    readonly traced?: boolean;
    /** Whether the store appends to several streams at once. Default: no. */
    readonly together?: boolean;
  } = {},
): Promise<SimulationResult> {
  const { wiring = sound, traced = false, together = false } = options;
  const simulation = new Simulation(wiring, traced, together);
  let drawn = 0;
  drawIdsFrom(() => numberedId(++drawn));
  try {
    return await simulation.run(steps);
  } finally {
    drawIdsFrom(undefined);
  }
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** An id in the shape of a ULID that contains its number. */
function numberedId(number: number): string {
  let digits = '';
  for (let rest = number; rest > 0; rest >>= 5) digits = `${crockford[rest & 31]}${digits}`;
  return `01SM${digits.padStart(22, '0')}`;
}

class Simulation {
  private readonly trace: string[] = [];
  private readonly installation: Installation;
  private readonly callers: Callers;
  private readonly apis: Record<'api-1' | 'api-2', ApiReplica>;
  private readonly projectors: Record<'projector-1' | 'projector-2', ProjectorReplica>;
  private readonly replicas: Record<ReplicaName, Replica>;
  /** True once something was lost that the sweep and the reconciler must repair. */
  private hasLost = false;

  constructor(wiring: Wiring, traced: boolean, together: boolean) {
    const trace = traced ? (line: string) => void this.trace.push(line) : () => undefined;
    const installation = new Installation(wiring, trace, together);
    this.installation = installation;
    this.callers = new Callers(installation);
    this.apis = {
      'api-1': new ApiReplica('api-1', installation),
      'api-2': new ApiReplica('api-2', installation),
    };
    this.projectors = {
      'projector-1': new ProjectorReplica('projector-1', installation),
      'projector-2': new ProjectorReplica('projector-2', installation),
    };
    const workers = {
      'worker-1': new WorkerReplica('worker-1', installation),
      'worker-2': new WorkerReplica('worker-2', installation),
    };
    this.replicas = { ...this.apis, ...workers, ...this.projectors };
  }

  async run(steps: readonly Step[]): Promise<SimulationResult> {
    const { scheduler, log, trace } = this.installation;
    let violation: string | undefined;
    try {
      for (const replica of Object.values(this.replicas)) replica.start();
      let prepared = false;
      void this.callers.prepare(this.apis['api-1']).then(() => (prepared = true));
      while (!prepared) await this.turn();
      for (const { action, turns, chance } of steps) {
        trace(describeAction(action));
        scheduler.reseed(chance);
        // A process that starts again has no memory, so it relies on the snapshots.
        if (action.kind === 'crash' && chance % 2 === 0) this.installation.alterSnapshot(chance >> 1);
        this.perform(action);
        for (let given = 0; given < turns && (await this.turn()); given++);
        this.check();
      }
      await this.settle();
      await this.replayEverything();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      violation = error.message;
    }
    for (const { process } of Object.values(this.replicas)) scheduler.kill(process);
    await this.installation.end();
    return { violation, turns: scheduler.turnsGiven, events: log.events.length, trace: this.trace };
  }

  private async turn(): Promise<boolean> {
    const given = await this.installation.scheduler.step();
    this.check();
    if (this.installation.scheduler.turnsGiven > maxTurns) throw new Broken('it never comes to rest');
    return given;
  }

  private check(): void {
    const [first] = this.installation.invariants.violations;
    if (first !== undefined) throw new Broken(first);
  }

  private perform(action: Action): void {
    this.hasLost ||= ['lose-tasks', 'alter', 'restore'].includes(action.kind);
    switch (action.kind) {
      case 'dispatch':
        return this.callers.dispatch(this.apis[action.api], action);
      case 'retry':
        return this.callers.retry(this.apis[action.api], action);
      case 'cancel':
        return this.callers.cancel(this.apis[action.api], action);
      case 'purchase':
      case 'suspend':
      case 'reactivate':
      case 'cap':
      case 'price':
      case 'enable':
      case 'disable':
        return this.callers.operate(this.apis[action.api], action);
      case 'sweep':
        return this.periodic('sweep', this.projectors[action.projector]);
      case 'crash':
      case 'start':
      case 'pause':
      case 'resume':
        return this.change(this.replicas[action.replica], action);
      case 'fault':
        return this.replicas[action.replica].network.arm(action.fault);
      case 'advance':
        return this.installation.scheduler.advance(action.ms);
      case 'rewind':
        return this.rewind(action.process, action.by);
      case 'alter':
        return this.alter(action);
      case 'look':
        return this.periodic('look', this.projectors[action.projector]);
      case 'upload':
      case 'product':
      case 'erase':
      case 'hold':
      case 'lift':
      case 'grant':
      case 'revise':
      case 'withdraw':
      case 'require':
        return this.callers.ask(this.apis[action.api], action);
      case 'tend':
        return this.periodic('tend', this.projectors[action.projector]);
      case 'alter-picture':
        return this.callers.alterPicture(action);
      case 'lose-tasks':
        return this.installation.loseTasks(action.which);
      case 'restore':
        return this.whileStopped(() => this.installation.restoreLog(action.events));
      case 'reset':
        return this.whileStopped(() => this.installation.reset());
      case 'wait':
        return;
      default:
        return action satisfies never;
    }
  }

  /** Runs one of a projector's periodic jobs. */
  private periodic(kind: 'sweep' | 'look' | 'tend', projector: ProjectorReplica): void {
    if (projector.process.state === 'dead') return;
    void projector[kind]()
      .catch(String)
      .then((result) => this.installation.trace(`    ${kind} of ${projector.name}: ${result}`));
  }

  private alter({ process, what, by }: Extract<Action, { kind: 'alter' }>): void {
    this.installation.checkpoints.alter(process, ({ position, anchor }) =>
      what === 'position' || !anchor
        ? { position: (position ?? 0n) + BigInt(by) }
        : { anchor: { ...anchor, id: 'of-another-log' } },
    );
  }

  /** Ends all processes, changes their stored data, and starts them again. */
  private whileStopped(work: () => void): void {
    const { scheduler } = this.installation;
    const replicas = Object.values(this.replicas);
    for (const { process } of replicas) scheduler.kill(process);
    work();
    for (const replica of replicas) replica.start();
    this.installation.processesChanged();
  }

  private change(
    replica: Replica,
    action: Extract<Action, { kind: 'crash' | 'start' | 'pause' | 'resume' }>,
  ): void {
    const { scheduler } = this.installation;
    if (action.kind === 'pause') scheduler.pause(replica.process);
    if (action.kind === 'resume') scheduler.resume(replica.process);
    if (action.kind === 'crash') scheduler.kill(replica.process);
    const starts = action.kind === 'start' || (action.kind === 'crash' && action.restarts);
    if (starts && replica.process.state === 'dead') replica.start();
    this.installation.processesChanged();
  }

  private rewind(process: string, by: number | 'all'): void {
    const { checkpoints } = this.installation;
    // A checkpoint that is set by hand is believed, so the simulation sets none after a restore.
    if (checkpoints.isMisfit) return;
    checkpoints.rewind(process, by);
  }

  /** Starts everything, stops all faults, and lets time pass until nothing is left to do. */
  private async settle(): Promise<void> {
    const { trace, scheduler, log, checkpoints } = this.installation;
    trace('everything is started and given time');
    for (const replica of Object.values(this.replicas)) {
      replica.network.disarm();
      scheduler.resume(replica.process);
      if (replica.process.state === 'dead') replica.start();
    }
    this.installation.processesChanged();
    // The operator notices when the API refuses dispatches, or when a consumer has halted.
    const reset = () => this.whileStopped(() => this.installation.reset());
    if (checkpoints.isMisfit || checkpoints.isResetDue) reset();
    await this.letTimePass(() => checkpoints.isHalted);
    if (checkpoints.isHalted) reset();
    await this.letTimePass();
    if (checkpoints.isHalted) this.installation.report('8: a consumer stands still after a reset');
    if (!this.hasLost) this.installation.invariants.atFirstRest();
    this.check();
    await this.letDaysEnd();
    for (let quiet = 0; quiet < 3;) {
      const before = log.head;
      await this.letTimePass();
      scheduler.advance(overdueMs + 1_000);
      for (const projector of Object.values(this.projectors)) {
        this.periodic('sweep', projector);
        this.periodic('look', projector);
        this.periodic('tend', projector);
      }
      await this.letTimePass();
      quiet = log.head === before && !this.awaitsDelivery ? quiet + 1 : 0;
    }
    this.installation.invariants.atRest();
    this.installation.tableBook.atRest();
    this.check();
  }

  /** Late pictures are erased, and then the days of everything that is kept for one day are over. */
  private async letDaysEnd(): Promise<void> {
    for (const projector of Object.values(this.projectors)) this.periodic('tend', projector);
    await this.letTimePass();
    this.installation.scheduler.advance(dayMs + 3 * 3_600_000);
  }

  /**
   * A refused webhook waits for its next attempt, for up to a day. If its task was lost, only the reconciler
   * makes that attempt, and not before it is overdue.
   */
  private get awaitsDelivery(): boolean {
    const { deliveries, scheduler } = this.installation;
    return [...deliveries.values()].some(
      ({ status, nextAttemptAt }) =>
        status === 'pending' && (nextAttemptAt?.getTime() ?? 0) >= scheduler.now - overdueMs,
    );
  }

  private async letTimePass(isEnough = () => false): Promise<void> {
    const { scheduler } = this.installation;
    while (!isEnough()) {
      while (await this.turn());
      const due = scheduler.nextDueAt;
      if (due === undefined) return;
      scheduler.advance(due - scheduler.now);
    }
  }

  /** 11: all of history is delivered once more, and nothing happens. */
  private async replayEverything(): Promise<void> {
    const { trace, log, invariants, checkpoints, scheduler } = this.installation;
    trace('history is handled once more');
    // By now the queues have forgotten finished tasks.
    scheduler.advance(11 * 60_000);
    const [events, calls, sent] = [log.events.length, invariants.engineCalls, invariants.webhooks.sent];
    for (const name of processNames) if (name !== projections) checkpoints.rewind(name, 'all');
    await this.letTimePass();
    if (log.events.length > events)
      invariants.violations.push(`11: handling history again wrote ${log.events.at(-1)?.type}`);
    if (invariants.webhooks.sent > sent)
      invariants.violations.push('11: handling history again notified again');
    if (invariants.engineCalls > calls)
      invariants.violations.push('11: handling history again rendered again');
    this.check();
  }
}
