import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Environment } from '#domain/streams.js';
import { entriesUpTo } from '#platform/cache-size.js';
import type { Caller } from '../command-context.js';

/** How far each read model has come. */
export abstract class Checkpoints {
  /** True once the read model has passed the position; false when the time runs out first. */
  abstract waitFor(
    environment: Environment,
    readModel: string,
    position: bigint,
    timeoutMs: number,
  ): Promise<boolean>;
}

/** What a read gives back. `stale`: the read model did not catch up with the caller's own writes in time. */
export interface Fresh<Value> {
  readonly value: Value;
  readonly stale: boolean;
}

/** Longer than a projector that is alive ever needs, shorter than a client waits. */
export const longestWaitMs = 2_000;

/**
 * Lets a caller see its own writes. A read waits until its read model has passed the last position that this
 * tenant wrote through this process, or that the caller's consistency token names, whichever is later.
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

  /** The position that a read of this caller must not be behind, or undefined when any will do. */
  required({ environment, tenant }: Caller, token: bigint | undefined): bigint | undefined {
    const written = this.lastWrites.get(`${environment}.${tenant}`);
    if (written === undefined || token === undefined) return written ?? token;
    return written > token ? written : token;
  }

  /** @returns whether the read model is that far; false after {@link longestWaitMs} or `timeoutMs` in vain */
  async waitFor(
    caller: Caller,
    readModel: string,
    position: bigint | undefined,
    timeoutMs = longestWaitMs,
  ): Promise<boolean> {
    if (position === undefined) return true;
    return this.checkpoints.waitFor(caller.environment, readModel, position, timeoutMs);
  }

  /** Reads once the read model has passed the caller's last write; in the worst case what is there. */
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
