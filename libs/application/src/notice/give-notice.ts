import { accept, type Decision } from '#domain/decision.js';
import type { NoticeEvent } from '#domain/notice/notice.events.js';
import { streamName } from '#domain/streams.js';
import type { Aggregate } from '../aggregate.js';
import { StreamCommand } from '../stream-command.handler.js';

interface GivenNotice {
  readonly given: boolean;
}

const noticeAggregate: Aggregate<GivenNotice, NoticeEvent> = {
  initial: { given: false },
  evolve: () => ({ given: true }),
};

export type Notice = Omit<NoticeEvent['data'], 'noticeId' | 'tenant' | 'at'>;

/** Tells the integrators of the context's tenant something. The same id tells it once. */
export class GiveNotice extends StreamCommand<Notice, GivenNotice, NoticeEvent, never> {
  readonly aggregate = noticeAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'notice', this.id);
  }

  decide({ given }: GivenNotice, at: string): Decision<NoticeEvent> {
    const { tenant } = this.context;
    const data = { ...this.data, noticeId: this.id, tenant, at };
    return given ? accept() : accept({ type: 'NoticeGiven', data });
  }
}
