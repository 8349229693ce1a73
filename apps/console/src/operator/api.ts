import createFetchClient from 'openapi-fetch';
import createClient from 'openapi-react-query';
import { useSyncExternalStore } from 'react';
import type { components, paths } from './openapi.js';

export type Schemas = components['schemas'];
export type Environment = 'live' | 'test';

const place = 'operator-token';
const listeners = new Set<() => void>();

/** The token of who is logged in, for as long as this tab is open. */
export const session = {
  get token(): string | undefined {
    return sessionStorage.getItem(place) ?? undefined;
  },
  headers(): Record<string, string> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
  },
  begin(token: string): void {
    sessionStorage.setItem(place, token);
    for (const tell of listeners) tell();
  },
  end(): void {
    sessionStorage.removeItem(place);
    for (const tell of listeners) tell();
  },
};

export function useLoggedIn(): boolean {
  const subscribe = (tell: () => void) => {
    listeners.add(tell);
    return () => void listeners.delete(tell);
  };
  return useSyncExternalStore(subscribe, () => session.token !== undefined);
}

export const client = createFetchClient<paths>({ baseUrl: location.origin });
client.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(session.headers())) request.headers.set(name, value);
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) session.end();
  },
});

/** The calls as hooks: what was asked for is kept by path and parameters. */
export const api = createClient(client);

/** What a call has answered. @throws the refusal, in the words of the server */
export async function done<Data>(asked: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await asked;
  if (data === undefined) throw error;
  return data;
}

/** For requests that must be done once, however often they are sent. */
export const newKey = () => crypto.randomUUID();

/** How often what may change by itself is asked for again. */
export const lively = { refetchInterval: 5_000 };

/** Hands a file to whoever looks at the page. */
export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
