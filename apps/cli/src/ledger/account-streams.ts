import type { EventStore } from '#event-store/event-store.js';
import { categoryPrefix, environments, parseStreamName, type Environment } from '#domain/streams.js';

export interface AccountStream {
  readonly environment: Environment;
  readonly tenant: string;
}

const pageSize = 1000;

/** Every account that was ever opened, in the order in which they were, of one environment or both. */
export async function* accountStreams(
  store: EventStore,
  env: Environment | undefined,
): AsyncGenerator<AccountStream> {
  const streamPrefixes = (env ? [env] : environments).map((each) => categoryPrefix(each, 'account'));
  const filter = { types: ['AccountOpened'], streamPrefixes };
  for (let after: bigint | undefined; ;) {
    const page = await store.readAll({ filter, limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const { stream } of page) {
      const name = parseStreamName(stream);
      if (name) yield { environment: name.environment, tenant: name.id };
    }
    if (page.length < pageSize) return;
    after = page.at(-1)!.position;
  }
}
