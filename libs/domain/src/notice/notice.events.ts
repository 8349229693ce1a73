import type { EventFamily } from '../event-family.js';

/** The stored events of `{env}.notice-{notice}`: something that integrators are told. Each stream has one event. */
export type NoticeEvent = {
  type: 'NoticeGiven';
  data: {
    noticeId: string;
    tenant: string;
    /** The topic of the message, for example `picture.expiring`. The capability that gives it declares the topic. */
    topic: string;
    /** Ids, words from fixed lists and times, as integrators see them. */
    content: Record<string, unknown>;
    /** Where to look further, below the service's public address. */
    path: string;
    at: string;
  };
};

export const noticeFamily: EventFamily<'notice', NoticeEvent> = {
  category: 'notice',
  owner: 'tenant',
  idFields: { NoticeGiven: 'noticeId' },
  upcasters: { NoticeGiven: [] },
  personal: { NoticeGiven: { noticeId: false, tenant: false, topic: false, content: false, path: false } },
};
