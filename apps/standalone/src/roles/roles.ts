import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../start-error.js';
import { ErrorSummary } from './error-summary.js';
import { RoleLog } from './role-log.js';
import { RoleProcess } from './role-process.js';

export type RoleName = 'api' | 'worker' | 'projector';

export interface RolesOptions {
  readonly logs: string;
  readonly environment: () => NodeJS.ProcessEnv;
  readonly warn: (line: string) => void;
}

/** Renders that still run after this long at a stop are given back to the queue, to be taken up at the next start. */
const renderGraceMs = 2_500;

/** Each role gets this long to end; the whole stop then stays within ten seconds. Longer than giving a render back takes. */
const graceMs = 5_000;

/** The three processes of the service. Rendering has its own, so that it cannot stall the API. */
export class Roles {
  readonly #logs: RoleLog[] = [];
  readonly #processes: Record<RoleName, RoleProcess>;
  readonly #summaries: ErrorSummary[] = [];

  constructor(private readonly options: RolesOptions) {
    this.#processes = {
      api: this.#process('api'),
      worker: this.#process('worker'),
      projector: this.#process('projector'),
    };
  }

  /** Resolves when all of them are ready. @throws StartError with what one that is not says */
  async start(): Promise<void> {
    const starts = Object.entries(this.#processes).map(async ([name, process]) => {
      try {
        await process.start();
      } catch (error) {
        const because = error instanceof Error ? error.message : String(error);
        throw new StartError(
          `the ${name} did not start: ${because} (log: ${join(this.options.logs, name)}.log)`,
        );
      }
    });
    await Promise.all(starts);
  }

  /** Every process starts again, with its environment of now. */
  restart(): void {
    for (const process of Object.values(this.#processes)) process.restart();
  }

  /** The API first, so that no request is taken that nobody would serve. */
  async stop(): Promise<void> {
    const { api, worker, projector } = this.#processes;
    await api.stop(graceMs);
    await Promise.all([worker.stop(graceMs), projector.stop(graceMs)]);
    for (const log of this.#logs) log.close();
    for (const summary of this.#summaries) summary.flush();
  }

  #process(name: RoleName): RoleProcess {
    const path = join(this.options.logs, `${name}.log`);
    const summary = new ErrorSummary(name, path, this.options.warn);
    const log = new RoleLog(path, (message) => summary.add(message));
    this.#summaries.push(summary);
    this.#logs.push(log);
    return new RoleProcess({
      name,
      entry: fileURLToPath(new URL(`../../../${name}/src/main.js`, import.meta.url)),
      log,
      environment: () => ({ ATELIER_STOP_GRACE_MS: String(renderGraceMs), ...this.options.environment() }),
      onRestart: (because, afterMs) =>
        this.options.warn(`the ${name} stopped (${because}); it is started again in ${afterMs / 1000} s`),
    });
  }
}
