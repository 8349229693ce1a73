import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Environment } from '#domain/streams.js';
import { entriesUpTo } from '#platform/cache-size.js';
import type { Caller } from '../command-context.js';

/** The progress of each read model. */
export abstract class Checkpoints {
  /** True once the read model has passed the position; false if the time runs out first. */
  abstract waitFor(
    environment: Environment,
    readModel: string,
    position: bigint,
    timeoutMs: number,
  ): Promise<boolean>;
}

/** The result of a read. `stale`: the read model did not catch up with the caller's own writes in time. */
export interface Fresh<Value> {
  readonly value: Value;
  readonly stale: boolean;
}

/** Longer than a working projector ever needs, and shorter than a client's timeout. */
export const longestWaitMs = 2_000;

/**
 * Lets a caller see its own writes. A read waits for its read model to pass the later of two positions: this
 * tenant's last write through this process, and the position in the caller's consistency token.
 */
@Injectable()
export class ReadYourWrites {
  private readonly lastWrites = new LRUCache<string, bigint>(entriesUpTo(50_000));

  constructor(private readonly checkpoints: Checkpoints) {}

  noteWrite({ environment, tenant }: Pick<Caller, 'environment' | 'tenant'>, position: bigint): void {
    const key = `${environment}.${tenant}`;
    const known = this.lastWrites.get(key);
    if (known === undefined || known < position) this.lastWrites.set(key, position);
  }

  /** The lowest position that this caller's read may show, or undefined if any position will do. */
  required({ environment, tenant }: Caller, token: bigint | undefined): bigint | undefined {
    const written = this.lastWrites.get(`${environment}.${tenant}`);
    if (written === undefined || token === undefined) return written ?? token;
    return written > token ? written : token;
  }

  /**
   * @returns true once the read model is that far; false if {@link longestWaitMs} or `timeoutMs` passes first
   */
  async waitFor(
    caller: Caller,
    readModel: string,
    position: bigint | undefined,
    timeoutMs = longestWaitMs,
  ): Promise<boolean> {
    if (position === undefined) return true;
    return this.checkpoints.waitFor(caller.environment, readModel, position, timeoutMs);
  }

  /**
   * Reads once the read model has passed the caller's last write. After the longest wait, reads what is there.
   */
  async read<Value>(
    caller: Caller,
    readModel: string,
    token: bigint | undefined,
    read: () => Promise<Value>,
  ): Promise<Fresh<Value>> {
    const reached = await this.waitFor(caller, readModel, this.required(caller, token));
    return { value: await read(), stale: !reached };
  }
}
