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

/** The key of who is logged in: in this tab, for as long as it is open, and sent as a header. */
export const keySession = {
  get key(): string | undefined {
    return sessionStorage.getItem(place) ?? undefined;
  },
  begin: (key: string) => keep(key),
  end: () => keep(undefined),
};

export const useKey = () => useSyncExternalStore(subscribe, () => keySession.key);

/** What is ordered with a live key is paid for; the prefix says which one it is. */
export const isTestKey = (key: string) => /^[a-z]+_test_/.test(key);

export const clientFor = (apiKey: string) => new Atelier({ apiKey, baseUrl: location.origin, retries: 2 });

export const ownClient = () => clientFor(keySession.key ?? '');

/** As the server says it. A key that is not good any more ends the session. */
export function refusalIn(error: unknown): unknown {
  if (!(error instanceof AtelierError)) return error;
  if (error.status === 401) keySession.end();
  const { code, message, requestId, detail } = error;
  return { error: { code, message, request_id: requestId }, detail };
}

/** What the client answers. @throws the refusal, in the words of the server */
export async function answered<Data>(asked: Promise<Data>): Promise<Data> {
  try {
    return await asked;
  } catch (error) {
    throw refusalIn(error);
  }
}

/** A call as a hook: what was asked for is kept by its key. */
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
