import { hash } from 'node:crypto';
import { ObjectNotFound, type ObjectStorage } from '#storage/object-storage.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';

/** A client of the objects that all processes share. */
export class SimulatedStorage implements ObjectStorage {
  readonly isServedElsewhere = false;

  constructor(
    private readonly objects: Map<string, Uint8Array>,
    private readonly scheduler: Scheduler,
    private readonly process: Process,
  ) {}

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.scheduler.turn(this.process);
    this.objects.set(key, bytes);
    await this.scheduler.turn(this.process);
  }

  async create(key: string, bytes: Uint8Array): Promise<boolean> {
    await this.scheduler.turn(this.process);
    if (this.objects.has(key)) return false;
    this.objects.set(key, bytes);
    await this.scheduler.turn(this.process);
    return true;
  }

  async get(key: string): Promise<Buffer> {
    await this.scheduler.turn(this.process);
    const bytes = this.objects.get(key);
    if (!bytes) throw new ObjectNotFound(key);
    return Buffer.from(bytes);
  }

  async remove(key: string): Promise<void> {
    await this.scheduler.turn(this.process);
    this.objects.delete(key);
  }

  async erase(prefix: string): Promise<number> {
    const keys = await this.list(prefix);
    for (const key of keys) await this.remove(key);
    return keys.length;
  }

  async list(prefix: string): Promise<string[]> {
    await this.scheduler.turn(this.process);
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix));
  }

  async stream<Result>(
    key: string,
    take: (bytes: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result> {
    const bytes = await this.get(key);
    return take(
      (async function* () {
        yield bytes;
      })(),
    );
  }

  async digest(key: string): Promise<string> {
    return hash('sha256', await this.get(key));
  }

  async has(key: string): Promise<boolean> {
    await this.scheduler.turn(this.process);
    return this.objects.has(key);
  }

  presignGet(key: string): Promise<string> {
    return Promise.resolve(`simulated:${key}`);
  }

  presignPost(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
