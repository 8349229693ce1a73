import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useState } from 'react';

const pauseMs = 3_000;

/**
 * Replaces a query's data with the server's stream, and reconnects after an interruption. @returns whether the
 * stream is up; if not, the query has to poll
 */
export function useStream(path: string | undefined, queryKey: QueryKey): boolean {
  const queries = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const key = JSON.stringify(queryKey);
  useEffect(() => {
    if (path === undefined) return undefined;
    const stopping = new AbortController();
    const { signal } = stopping;
    const tell = (data: string) => {
      setStreaming(true);
      queries.setQueryData(JSON.parse(key) as QueryKey, JSON.parse(data));
    };
    const follow = () =>
      readEvents(path, tell, signal)
        .catch(() => undefined)
        .then(() => {
          if (signal.aborted) return;
          setStreaming(false);
          setTimeout(() => void (signal.aborted || follow()), pauseMs);
        });
    void follow();
    return () => stopping.abort();
  }, [path, key, queries]);
  return streaming;
}

async function readEvents(path: string, tell: (data: string) => void, signal: AbortSignal): Promise<void> {
  const { body, ok } = await fetch(path, { signal });
  if (!ok || !body) throw new Error('no stream');
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await events.read();
    if (done) return;
    tell(value.data);
  }
}
