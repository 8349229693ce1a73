import { useQueryClient } from '@tanstack/react-query';
import { AtelierError } from '@atelier/client';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import { count } from '../shared/format.js';
import { Rail } from '../shared/frame.js';
import { Problem, textOf, TextField } from '../shared/ui.js';
import { clientFor, isTestKey, keySession, refusalIn, useCredits, useKey } from './api.js';

const places = [
  ['/', 'Start'],
  ['/playground', 'Playground'],
  ['/jobs', 'Jobs'],
  ['/pictures', 'Pictures'],
  ['/uploads', 'Uploads'],
  ['/products', 'Products'],
  ['/credits', 'Credits'],
  ['/usage', 'Usage'],
  ['/keys', 'Keys'],
  ['/webhooks', 'Webhooks'],
] as const;

/** The frame of every screen: navigation, the key's tenant, and its credits. */
export function TenantFrame({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const queries = useQueryClient();
  const key = useKey() ?? '';
  const credits = useCredits();
  const leave = () => {
    keySession.end();
    queries.clear();
  };
  const isHere = (path: string) =>
    path === '/'
      ? location === '/'
      : location.startsWith(path) || (path === '/playground' && location.startsWith('/order'));
  return (
    <div className="frame">
      <Rail places={places} isHere={isHere}>
        <Link href="/credits" className="purse">
          <strong>{credits.data ? count(credits.data.balance) : '…'}</strong> credits
        </Link>
        <span className={isTestKey(key) ? 'soft' : 'warn'}>
          {isTestKey(key) ? 'Test key' : 'Live key: orders are charged'}
        </span>
        <a href="/docs">Reference</a>
        <Button className="button small" onPress={leave}>
          Log out
        </Button>
      </Rail>
      <div className="desk">{children}</div>
    </div>
  );
}

const unknownKey = {
  error: {
    code: 'UNAUTHENTICATED',
    message: 'This installation does not know the key. Is it complete, and not revoked?',
  },
};

/** @param refusal why another way to log in did not work */
export function KeyLogin({ refusal: before, done }: { refusal?: unknown; done?: () => void }) {
  const [error, setError] = useState<unknown>(before);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = textOf(new FormData(event.currentTarget), 'key') ?? '';
    setBusy(true);
    try {
      await clientFor(key).get('/v1/credits');
      keySession.begin(key);
      done?.();
    } catch (refusal) {
      setError(refusal instanceof AtelierError && refusal.status === 401 ? unknownKey : refusalIn(refusal));
      setBusy(false);
    }
  };
  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1>Atelier</h1>
        <p className="soft">
          Your API key stays in this tab, and is forgotten when you close it. A test key has credits of its
          own for trying things; <code>npm start</code> prints one, and a link that needs none.
        </p>
        <TextField label="API key" name="key" type="password" placeholder="sk_test_…" required />
        {error !== undefined && <Problem error={error} />}
        <div className="actions">
          <Button className="button primary" type="submit" isDisabled={busy}>
            {busy ? 'Asking…' : 'Log in'}
          </Button>
          <a href="/docs">Reference</a>
        </div>
      </form>
    </main>
  );
}
