import { parseStreamName } from '#domain/streams.js';
import { storedEventTypes } from '#domain/stored-events.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { LogCopies } from '#operator-calls/copied-log.js';

const closed = 'TenantClosed';

/** Such an event of an erasure stands on the stream of each thing that was erased. */
const types = [...storedEventTypes.filter((type) => type.endsWith('Erased')), closed];

/** Words of things that are erased already. Their erasure had to leave them, because they were plain text. */
export const sealedCopies: LogCopies = {
  async sealed({ store, erasure }) {
    for (let after: bigint | undefined; ;) {
      const page = await store.readAll({ filter: { types }, ...(after !== undefined && { after }) });
      await erasure.eraseWords(page.filter(saysThatWordsAreErased).map(({ stream }) => stream));
      for (const { type, stream, metadata } of page) {
        const environment = parseStreamName(stream)?.environment;
        if (type === closed && environment)
          await erasure.eraseTenant({ environment, tenant: metadata.tenant });
      }
      const last = page.at(-1);
      if (!last) return;
      after = last.position;
    }
  },
};

/** A job or product may lose single pictures and keep its words. */
function saysThatWordsAreErased({ type, data }: RecordedEvent): boolean {
  return type !== closed && (data as { readonly words?: boolean }).words !== false;
}
