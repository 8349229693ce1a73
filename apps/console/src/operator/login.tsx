import { useState, type FormEvent } from 'react';
import { Button } from 'react-aria-components';
import { Problem, textOf, TextField } from '../shared/ui.js';
import { client, session } from './api.js';

export function Login() {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = textOf(new FormData(event.currentTarget), 'token') ?? '';
    setBusy(true);
    const headers = { authorization: `Bearer ${token}` };
    const asked = await client.GET('/admin/v1/runs', { headers }).catch(() => ({ error: new TypeError() }));
    setBusy(false);
    if (asked.error) setError(asked.error);
    else session.begin(token);
  };
  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1>Atelier for operators</h1>
        <p className="soft">
          Your token was shown once, by <code>atelier operators add</code>. Beside <code>npm start</code> it
          is in the file <code>operator-token</code> of ATELIER_HOME.
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
