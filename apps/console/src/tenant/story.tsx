import { useQueryClient } from '@tanstack/react-query';
import type { Artifact, Job, JobEvent } from '@atelier/client';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Credits, Status } from '../shared/format.js';
import { Problem, Section } from '../shared/ui.js';
import { ownClient, refusalIn, useJob } from './api.js';

/** The events of a job as they come, up to its last one. */
function useFollowed(jobId: string) {
  const [events, setEvents] = useState<readonly JobEvent[]>([]);
  const [error, setError] = useState<unknown>();
  const queries = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const follow = async () => {
      for await (const event of ownClient().follow(jobId, { signal: stop.signal }))
        setEvents((before) => (before.some(({ seq }) => seq === event.seq) ? before : [...before, event]));
      // The job has ended. Other views of it have changed, and there are more pictures to choose from. Presets
      // stay the same.
      await queries.invalidateQueries({
        predicate: ({ queryKey: [of, list] }) => of !== 'picture' && !String(list).startsWith('/v1/presets'),
      });
    };
    follow().catch((reason: unknown) => stop.signal.aborted || setError(refusalIn(reason)));
    return () => stop.abort();
  }, [jobId, queries]);
  return { events, error };
}

/** A job from its order to its picture. */
export function LiveJob({ jobId }: { jobId: string }) {
  const job = useJob(jobId);
  const { events, error } = useFollowed(jobId);
  const last = events.at(-1);
  return (
    <Section
      title="The job"
      actions={<Link href={`/jobs/${jobId}`}>{last && isEnd(last) ? 'All about it' : 'Its page'}</Link>}
    >
      <p aria-live="polite">
        {last ? (
          <>
            <Status of={last.event_type === 'stage' ? 'IN_PROGRESS' : last.event_type} /> {last.message}
          </>
        ) : (
          'It is queued.'
        )}
      </p>
      {error !== undefined && <Problem error={error} />}
      <Finals artifacts={last?.event_type === 'succeeded' ? last.artifacts : []} />
      <Timeline events={events} />
      {job.data && isEnded(job.data) && (
        <p className="soft">
          It cost <Credits value={job.data.credits_cost} /> credits
          {job.data.error ? ', which were given back' : ''}.
        </p>
      )}
    </Section>
  );
}

const isEnd = ({ event_type: type }: JobEvent) => type === 'succeeded' || type === 'failed';
export const isEnded = ({ status }: Pick<Job, 'status'>) => status === 'SUCCESS' || status === 'FAILURE';

function Finals({ artifacts }: { artifacts: readonly Artifact[] }) {
  const finals = artifacts.filter(({ role }) => role === 'final');
  if (finals.length === 0) return null;
  return (
    <ul className="pictures">
      {finals.map((artifact) => (
        <li key={artifact.asset_id}>
          <ResultPicture artifact={artifact} />
        </li>
      ))}
    </ul>
  );
}

export function ResultPicture({ artifact: { image_url, thumbnails, label, kind } }: { artifact: Artifact }) {
  return (
    <figure>
      <a href={image_url} target="_blank" rel="noreferrer" aria-label={`${label}, in full size`}>
        <img className="whole" src={thumbnails[512]} alt={label} />
      </a>
      <figcaption>
        {label}, <code>{kind}</code>
      </figcaption>
    </figure>
  );
}

/** The events with their times, and the intermediate pictures. */
export function Timeline({ events }: { events: readonly JobEvent[] }) {
  const [first] = events;
  return (
    <ol className="timeline">
      {events.map((event) => (
        <li key={event.seq} className={toneOf(event)}>
          <span className="when">{first && sinceStart(first, event)}</span>
          <div className="what">
            <span>{event.message}</span>
            {onTheWay(event).length > 0 && (
              <div className="strip">
                {onTheWay(event).map(({ asset_id: id, image_url, thumbnails, label }) => (
                  <a key={id} href={image_url} target="_blank" rel="noreferrer">
                    <img src={thumbnails[256]} alt={label} loading="lazy" />
                  </a>
                ))}
              </div>
            )}
            {event.extra.failures?.map(({ message }) => (
              <span key={message} className="warn">
                {message}
              </span>
            ))}
          </div>
          <code className="soft">{event.stage}</code>
        </li>
      ))}
    </ol>
  );
}

/** Final pictures are left out here, because they are shown beside the job's timeline. */
const onTheWay = ({ artifacts }: JobEvent) => artifacts.filter(({ role }) => role !== 'final');

const toneOf = ({ event_type: type }: JobEvent) =>
  ({ queued: '', stage: '', succeeded: 'good', failed: 'bad' })[type];

function sinceStart(first: JobEvent, event: JobEvent): string {
  const ms = Date.parse(event.created_at) - Date.parse(first.created_at);
  return ms === 0 ? 'ordered' : `after ${(ms / 1000).toFixed(1)} s`;
}

/** The story of a job that may have ended long ago. */
export function JobStory({ jobId }: { jobId: string }) {
  const { events, error } = useFollowed(jobId);
  return (
    <Section title="What happened">
      {error !== undefined && <Problem error={error} />}
      <Timeline events={events} />
    </Section>
  );
}
