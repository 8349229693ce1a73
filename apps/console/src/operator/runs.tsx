import { useSearchParams } from 'wouter';
import { Button, ProgressBar } from 'react-aria-components';
import { useEffect, useRef, type ReactNode } from 'react';
import { many, Status, Time } from '../shared/format.js';
import { Loaded, Problem, Section, useSay } from '../shared/ui.js';
import { api, change, client, queries, type Schemas } from './api.js';
import { useStream } from './live.js';

export type Run = Schemas['Run'];

const pathOf = (run: string) => ({ params: { path: { run } } });
const queryOf = (run: string) => api.queryOptions('get', '/admin/v1/runs/{run}', pathOf(run));

/** The page's address names the run. So a later visitor, or a colleague with the link, can follow it. */
export function useFollowedRun() {
  const [search, setSearch] = useSearchParams();
  const follow = (run: Run) => {
    queries.setQueryData(queryOf(run.run_id).queryKey, run);
    setSearch({ run: run.run_id }, { replace: true });
  };
  return { run: search.get('run') ?? undefined, follow };
}

/** A long call's progress, live, and its result. */
export function FollowedRun({ id, children }: { id: string; children: (run: Run) => ReactNode }) {
  const streaming = useStream(`/admin/v1/runs/${id}/events`, queryOf(id).queryKey);
  const query = api.useQuery('get', '/admin/v1/runs/{run}', pathOf(id), {
    refetchInterval: ({ state }) => (!streaming && state.data?.state === 'running' ? 1_000 : false),
  });
  const { state, action } = query.data ?? {};
  const say = useSay();
  const wasRunning = useRef(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (state === 'running') wasRunning.current = true;
    if (state === undefined || state === 'running') return;
    if (wasRunning.current) {
      say(`${action}: ${state}.`);
      // It may have been started far below.
      place.current?.scrollIntoView({ block: 'nearest' });
    }
    // The page also shows the data that the run has changed.
    void queries.invalidateQueries({ predicate: ({ queryKey: [, of] }) => of !== '/admin/v1/runs/{run}' });
  }, [state, action, say]);
  return (
    <div ref={place} className={state === 'running' ? 'run running' : 'run'}>
      <Loaded query={query} lines={3}>
        {(run) => (
          <Section
            title={run.action}
            lead={
              <>
                <Status of={run.state} />, by {run.by}, begun <Time at={run.started_at} />
                {run.ended_at !== null && (
                  <>
                    , ended <Time at={run.ended_at} />
                  </>
                )}
              </>
            }
            actions={run.state === 'running' && <StopRun id={id} />}
          >
            {run.state === 'running' && <RunProgress of={run.progress} />}
            {run.error !== null && run.error !== undefined && (
              <Problem error={{ error: { code: run.state.toUpperCase(), message: run.error } }} />
            )}
            {children(run)}
          </Section>
        )}
      </Loaded>
    </div>
  );
}

function RunProgress({ of: progress }: { of: Run['progress'] }) {
  if (!progress) return <p className="soft">It begins…</p>;
  const { phase, position, from, through, events } = progress;
  const whole = Number(BigInt(through) - BigInt(from));
  const share = whole <= 0 ? 0 : Math.min(1, Math.max(0, Number(BigInt(position) - BigInt(from)) / whole));
  return (
    <ProgressBar aria-label={phase} value={share * 100}>
      {({ percentage, valueText }) => (
        <>
          <div className="more">
            <span>{phase}</span>
            <span>
              {valueText}
              {events !== undefined && `, ${many(events, 'event')}`}
            </span>
          </div>
          <progress aria-hidden value={percentage} max={100} />
        </>
      )}
    </ProgressBar>
  );
}

function StopRun({ id }: { id: string }) {
  const stop = async () => {
    await change(client.DELETE('/admin/v1/runs/{run}', { params: { path: { run: id } } }));
  };
  return (
    <Button className="button small danger" onPress={() => void stop()}>
      Stop it
    </Button>
  );
}

/** The latest runs of some actions. Each can be opened again while the process that served it lives. */
export function EarlierRuns({ of, follow }: { of: string; follow: (run: Run) => void }) {
  const { data } = api.useQuery('get', '/admin/v1/runs', {}, { refetchInterval: 5_000 });
  const runs = data?.runs.filter(({ action }) => action.startsWith(of)) ?? [];
  if (runs.length === 0) return null;
  return (
    <Section title="Runs">
      <ul className="plain">
        {runs.slice(0, 10).map((run) => (
          <li key={run.run_id}>
            <Button className="button plain" onPress={() => follow(run)}>
              {run.action}
            </Button>{' '}
            <Status of={run.state} />{' '}
            <span className="soft">
              by {run.by}, <Time at={run.started_at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
