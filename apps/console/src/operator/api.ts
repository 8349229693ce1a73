import { QueryClient } from '@tanstack/react-query';
import createFetchClient from 'openapi-fetch';
import createClient from 'openapi-react-query';
import type { components, paths } from './openapi.js';

export type Schemas = components['schemas'];
export type Environment = 'live' | 'test';

export const queries = new QueryClient({
  // A retry does not change a refusal, and the next look at the page sends the request again anyway.
  defaultOptions: { queries: { retry: false, staleTime: 2_000 } },
});

/** The session's cookie, which no script can read, identifies the operator. */
export const client = createFetchClient<paths>({ baseUrl: location.origin });
client.use({
  onResponse({ response, schemaPath }) {
    // The session is over: the operator has to log in again.
    if (response.status === 401 && schemaPath !== '/admin/v1/session')
      void queries.resetQueries({ queryKey: sessionKey });
  },
});

/** The calls as hooks: answers are cached by path and parameters. */
export const api = createClient(client);

const { queryKey: sessionKey } = api.queryOptions('get', '/admin/v1/session', {});

/** The operator who is logged in. */
export const useSession = () => api.useQuery('get', '/admin/v1/session', {}, { staleTime: Infinity });

/** Exchanges a token for a session, so that the browser does not keep the token. */
export async function logIn(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const session = await done(client.POST('/admin/v1/session', { headers }));
  queries.setQueryData(sessionKey, session);
}

export async function logOut(): Promise<void> {
  await done(client.DELETE('/admin/v1/session'));
  queries.clear();
  location.reload();
}

/** The answer of a call. @throws the refusal, in the words of the server */
export async function done<Data>(asked: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await asked;
  if (data === undefined) throw error;
  return data;
}

/** The answer of a change. Before it returns, all shown data is read again. @throws the refusal */
export async function change<Data>(asked: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const data = await done(asked);
  await queries.invalidateQueries();
  return data;
}

/** How often data that may change by itself is read again. */
export const lively = { refetchInterval: 5_000 };
/** For data for which the server counts or reads whole tables. */
export const unhurried = { refetchInterval: 30_000, staleTime: 10_000 };

/** Starts the download of a file in the browser. */
export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
