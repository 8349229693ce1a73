import type { CommandBus } from '@nestjs/cqrs';
import { SealRange } from '../../seal-range.handler.js';
import { storeWith, type EventStore } from '#event-store/event-store.js';
import { sealStream } from '../../seal.events.js';
import { newSealKey, readSealKey } from '../../seal.key.js';
import type { SealingWiring } from './sealed-log.js';
import { SealRangeHandler } from '../../seal-range.handler.js';
import { commandBusOf } from '../../../../test/support/command-bus.js';

type Planted = Partial<SealingWiring>;

/** The handler is bound to the same store as the sealer. */
function onStore(change: (store: EventStore, start: number) => EventStore): Planted {
  return {
    sealer: (options, start) => {
      const store = change(options.store, start);
      return { ...options, store, commands: commandBusOf([new SealRangeHandler(store)]) };
    },
  };
}

/** The command differs from the one that the sealer meant. */
function onCommand(change: (command: SealRange, start: number) => SealRange): Planted {
  return {
    sealer: (options, start) => {
      const execute = (command: SealRange) => options.commands.execute(change(command, start));
      // A sealer uses only this method of the bus.
      return { ...options, commands: { execute } as unknown as CommandBus };
    },
  };
}

const withRange = ({ range, end, key, at }: SealRange, leaves: readonly Buffer[]) =>
  new SealRange({ ...range, leaves }, end, key, at);

const withAppend = (append: (store: EventStore) => EventStore['append']): Planted =>
  onStore((store) => storeWith(store, { append: append(store) }));

/** Faults in the sealing, by name. */
export const sealingBugs: Readonly<Record<string, Planted>> = {
  'chain-at-any-revision': withAppend(
    (store) => (stream, expected, events) =>
      store.append(stream, stream === sealStream ? 'any' : expected, events),
  ),
  'overtaken-not-noticed': withAppend((store) => async (stream, expected, events) => {
    const appended = await store.append(stream, expected, events);
    if (appended.outcome === 'appended' || appended.actual === 'no-stream') return appended;
    return { outcome: 'appended', revision: appended.actual, position: 0n, replayed: false };
  }),
  'range-loses-its-last-event': onCommand((command) => {
    const { leaves } = command.range;
    return leaves.length > 3 ? withRange(command, leaves.slice(0, -1)) : command;
  }),
  'range-without-order': onCommand((command) =>
    withRange(
      command,
      command.range.leaves.toSorted((one, other) => one.compare(other)),
    ),
  ),
  'seal-forgets-the-one-before': onCommand(({ range, end, key, at }, start) =>
    start === 0
      ? new SealRange(range, end, key, at)
      : new SealRange(range, { ...end, seal: undefined }, key, at),
  ),
  'another-key-after-a-restart': onCommand(({ range, end, key, at }, start) =>
    start === 0 ? new SealRange(range, end, key, at) : new SealRange(range, end, strangersKey, at),
  ),
  'goes-on-at-the-head': onStore((store, start) =>
    storeWith(store, {
      subscribe: async function* (options) {
        const head = start > 0 ? await store.head() : undefined;
        yield* store.subscribe(head === undefined ? options : { ...options, after: head });
      },
    }),
  ),
  'begins-again-before-its-checkpoint': onStore((store, start) =>
    storeWith(store, {
      subscribe: ({ after, ...options }) =>
        store.subscribe(
          after === undefined || start === 0 ? { ...options, ...(after && { after }) } : options,
        ),
    }),
  ),
  'seals-are-sealed': onStore((store) =>
    storeWith(store, { subscribe: ({ filter: _, ...options }) => store.subscribe(options) }),
  ),
  'any-key-will-do': { trusted: ({ kept }) => ({ keys: [], kept }) },
  'kept-seals-are-not-compared': { trusted: ({ keys }) => ({ keys, kept: [] }) },
};

const strangersKey = readSealKey(newSealKey());
