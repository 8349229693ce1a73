import { once } from 'node:events';
import { newId } from './ids.js';

/*
 * Between the process that printed a link and the API that a browser shows it to. The API knows no link: it asks its
 * parent, so that a restarted API takes no link a second time.
 */

/** If `npm start` sets this variable for the API, the API asks its parent about links. */
export const asksForLinks = 'ATELIER_ASKS_FOR_LINKS';

/** Whether this process runs under a start that prints a link. */
export const hasParentWithLink = () => Boolean(process.env[asksForLinks] && process.send);

/** `key`: for the browser that came first. The other kinds give none. */
export type LinkAnswer =
  { readonly kind: 'key'; readonly key: string } | { readonly kind: 'unknown' | 'used' | 'ended' | 'failed' };

interface Question {
  readonly type: 'sign-in link';
  readonly id: string;
  readonly token: string;
}

interface Reply {
  readonly type: 'sign-in link';
  readonly id: string;
  readonly answer: LinkAnswer;
}

/** Asks the parent whether a link signs in. @throws when the parent is gone */
export async function askForLink(token: string, withinMs = 30_000): Promise<LinkAnswer> {
  const id = newId();
  const signal = AbortSignal.timeout(withinMs);
  const { promise, resolve } = Promise.withResolvers<LinkAnswer>();
  const hear = (message: unknown) => {
    if (isAbout(message, id)) resolve(message.answer);
  };
  process.on('message', hear);
  try {
    const question: Question = { type: 'sign-in link', id, token };
    process.send?.(question);
    return await Promise.race([promise, once(signal, 'abort').then(() => ({ kind: 'failed' }) as const)]);
  } finally {
    process.off('message', hear);
  }
}

const isOurs = (message: unknown): message is { readonly type: 'sign-in link'; readonly id: string } =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'sign-in link';

// Only the parent sends such messages.
const isAbout = (message: unknown, id: string): message is Reply => isOurs(message) && message.id === id;

/** Answers the questions of an API. @param reply sends to the process that asked */
export async function answerLinkQuestion(
  message: unknown,
  answer: (token: string) => Promise<LinkAnswer>,
  reply: (answered: Reply) => void,
): Promise<void> {
  if (!isOurs(message)) return;
  // Only the API sends such messages.
  const { id, token } = message as Question;
  reply({ type: 'sign-in link', id, answer: await answer(token) });
}
