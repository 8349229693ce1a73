import { Atelier, AtelierError, type Answer } from '@atelier/client';
import { useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

const place = 'api-key';
const listeners = new Set<() => void>();

function keep(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, key);
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => void listeners.delete(tell);
}

/** The user's key. It stays in this tab while the tab is open, and is sent as a header. */
export const keySession = {
  get key(): string | undefined {
    return sessionStorage.getItem(place) ?? undefined;
  },
  begin: (key: string) => keep(key),
  end: () => keep(undefined),
};

export const useKey = () => useSyncExternalStore(subscribe, () => keySession.key);

/** Orders with a live key cost credits. The prefix shows the kind of key. */
export const isTestKey = (key: string) => /^[a-z]+_test_/.test(key);

export const clientFor = (apiKey: string) => new Atelier({ apiKey, baseUrl: location.origin, retries: 2 });

export const ownClient = () => clientFor(keySession.key ?? '');

/** The server's answer. An invalid key ends the session. */
export function refusalIn(error: unknown): unknown {
  if (!(error instanceof AtelierError)) return error;
  if (error.status === 401) keySession.end();
  const { code, message, requestId, detail } = error;
  return { error: { code, message, request_id: requestId }, detail };
}

/** The client's answer. @throws the refusal, in the words of the server */
export async function answered<Data>(asked: Promise<Data>): Promise<Data> {
  try {
    return await asked;
  } catch (error) {
    throw refusalIn(error);
  }
}

/** A call as a hook: answers are cached by key. */
export function useAsked<Data>(
  queryKey: readonly unknown[],
  ask: (atelier: Atelier, signal: AbortSignal) => Promise<Data>,
  options: Partial<UseQueryOptions<Data, unknown>> = {},
): UseQueryResult<Data, unknown> {
  return useQuery<Data, unknown>({
    ...options,
    queryKey,
    queryFn: ({ signal }) => answered(ask(ownClient(), signal)),
  });
}

export const useCredits = () =>
  useAsked<Answer<'/v1/credits'>>(['credits'], (atelier) => atelier.get('/v1/credits'));

export const useJob = (jobId: string) =>
  useAsked(['job', jobId], (atelier, signal) =>
    atelier.get('/v1/jobs/{public_id}', { public_id: jobId, signal }),
  );
