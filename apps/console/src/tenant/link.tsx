import { useEffect, useState } from 'react';
import { isRefusal } from '../shared/ui.js';
import { keySession } from './api.js';
import { KeyLogin } from './frame.js';

const linkIn = (hash: string) => /^#link=([\w-]+)$/.exec(hash)?.[1];

/** The token of the link that opened the page. It leaves the address at once, so that no history has it. */
const token = linkIn(location.hash);
if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);

// A link that is pasted into an open page loads nothing by itself.
addEventListener('hashchange', () => {
  if (linkIn(location.hash) !== undefined) location.reload();
});

export const cameByLink = token !== undefined;

/** One exchange for each load of the page, because the link works once. */
let exchange: ReturnType<typeof exchanged> | undefined;

async function exchanged(): Promise<{ readonly key?: string }> {
  const answer = await fetch('/console/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  // A key, or a refusal in the words of the server.
  return (await answer.json()) as { readonly key?: string };
}

/** A service that prints no links has no such exchange. */
const noLinks = {
  error: { code: 'UNAUTHENTICATED', message: 'This service signs nobody in by a link. Log in with a key.' },
};

const isNoRoute = (error: unknown) =>
  isRefusal(error) && ['METHOD_NOT_ALLOWED', 'RESOURCE_NOT_FOUND'].includes(error.error.code);

/** Signs in with the link that opened the page. Without success, the page says why and asks for a key. */
export function LinkLogin({ done }: { done: () => void }) {
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const signIn = async () => {
      try {
        const answer = await (exchange ??= exchanged());
        if (answer.key === undefined) return setError(isNoRoute(answer) ? noLinks : answer);
        keySession.begin(answer.key);
        done();
      } catch (unreached) {
        setError(unreached);
      }
    };
    void signIn();
  }, [done]);
  if (error !== undefined) return <KeyLogin refusal={error} done={done} />;
  return (
    <main className="login">
      <p role="status">Signing in…</p>
    </main>
  );
}
