import { useState, type FormEvent } from 'react';
import { Button } from 'react-aria-components';
import { isRefusal, Problem, textOf, TextField } from '../shared/ui.js';
import { api, logIn } from './api.js';

/** Offers the login of the organisation, if there is one, and a token. */
export function Login() {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const ways = api.useQuery('get', '/admin/v1/login', {}, { staleTime: Infinity });
  const organisation = ways.data?.organisation;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = textOf(new FormData(event.currentTarget), 'token') ?? '';
    setBusy(true);
    await logIn(token).catch((refused: unknown) => setError(inWords(refused)));
    setBusy(false);
  };
  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1>Atelier for operators</h1>
        {organisation && (
          <a className="button primary" href={organisation}>
            Log in with your organisation
          </a>
        )}
        <p className="soft">
          <code>atelier operators add</code> showed your token once. With <code>npm start</code>, it is in the
          file <code>operator-token</code> of ATELIER_HOME.
        </p>
        <TextField label="Operator’s token" name="token" type="password" placeholder="op_…" required />
        {error !== undefined && <Problem error={error} />}
        <div className="actions">
          <Button className="button primary" type="submit" isDisabled={busy}>
            {busy ? 'Asking…' : 'Log in'}
          </Button>
        </div>
      </form>
    </main>
  );
}

/** The server speaks to programs, which send a header. */
function inWords(refused: unknown): unknown {
  if (!isRefusal(refused) || refused.error.code !== 'UNAUTHENTICATED') return refused;
  const message =
    'This token is not valid. It was mistyped, has expired, or was revoked. Ask an operator with the role admin for a new one.';
  return { error: { ...refused.error, message } };
}
