import { useQueryClient } from '@tanstack/react-query';
import type { Artifact, Job } from '@atelier/client';
import { useState, type CSSProperties } from 'react';
import { Link, useParams } from 'wouter';
import { Id, JobLink, many, Status, Time } from '../shared/format.js';
import { Action, Facts, JsonDetails, Loaded, Page, Section, Select } from '../shared/ui.js';
import { answered, ownClient, useAsked, useJob } from './api.js';
import { usePicture } from './choices.js';
import { findWorkflow, kindOf, resolved, titleOf, type OrderBody, type BodySchema } from './body-schema.js';
import { PassportSection } from './passport.js';
import { isEnded, ResultPicture, JobStory } from './story.js';

/** One job: its order, its result, and the events between. */
export function OwnJobPage() {
  const { id = '' } = useParams();
  const query = useJob(id);
  const operation = useOperation(id);
  return (
    <Page
      title={query.data?.display_name || operation || 'Job'}
      lead={<Id id={id} whole />}
      actions={query.data && <JobActions job={query.data} />}
    >
      <Loaded query={query} lines={10}>
        {(job) => <Whole job={job} operation={operation} />}
      </Loaded>
    </Page>
  );
}

/** The job's workflow, which its first event names. */
function useOperation(jobId: string): string | undefined {
  const first = useAsked(
    ['operation', jobId],
    async (atelier, signal) => {
      const { events } = await atelier.get('/v1/jobs/{public_id}/events', { public_id: jobId, signal });
      return events[0]?.extra.operation ?? null;
    },
    { staleTime: Infinity },
  );
  return first.data ?? undefined;
}

function JobActions({ job }: { job: Job }) {
  const queries = useQueryClient();
  const operation = useOperation(job.public_id);
  const cancel = async () => {
    await answered(ownClient().post('/v1/jobs/{public_id}/cancel', undefined, { public_id: job.public_id }));
    await queries.invalidateQueries();
    return 'Cancelled. Its credits are given back.';
  };
  return (
    <>
      {!isEnded(job) && (
        <Action label="Cancel" title="Cancel this job" confirm="Cancel the job" danger act={cancel}>
          <p>
            The job ends without a picture. You get {many(job.credits_cost, 'credit')} back. A batch ends as a
            whole.
          </p>
        </Action>
      )}
      {operation !== undefined && job.parent_job_id === null && findWorkflow(operation) && (
        <Link className="button primary" href={`/order/${operation}?again=${job.public_id}`}>
          Order again
        </Link>
      )}
    </>
  );
}

function Whole({ job, operation }: { job: Job; operation: string | undefined }) {
  const artifacts = job.result?.artifacts ?? [];
  const finals = artifacts.filter(({ role }) => role === 'final');
  const inputs = useInputs(job);
  const [final] = finals;
  return (
    <>
      <JobFacts {...{ job, operation }} />
      {job.error && (
        <div className="problem" role="alert">
          <strong>{job.error.message}</strong>
          <span className="soft">
            {job.error.code}.{' '}
            <a href={`/docs/guides/errors#${job.error.code.toLowerCase()}`}>What it means</a>
          </span>
        </div>
      )}
      {final && inputs.length > 0 && <BeforeAfter inputs={inputs} after={final} />}
      {finals.length > 0 && <Results artifacts={finals} />}
      {job.status === 'SUCCESS' && job.children.length === 0 && <PassportSection jobId={job.public_id} />}
      {job.children.length > 0 && (
        <Section title="The photographs of the batch">
          <ul className="pictures">
            {job.children.map((child) => (
              <li key={child.public_id}>
                <Link href={`/jobs/${child.public_id}`}>
                  {child.thumbnail_url ? <img src={child.thumbnail_url} alt="" /> : null}{' '}
                  <Status of={child.status} />
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <div className="columns">
        <JobStory jobId={job.public_id} />
        <Section title="What was asked for">
          <JsonDetails of={job.request} label="The accepted body" />
          {job.metadata && <JsonDetails of={job.metadata} label="Metadata" />}
          <p className="soft">
            Request <Id id={job.request_id} />
          </p>
        </Section>
      </div>
    </>
  );
}

function JobFacts({ job, operation }: { job: Job; operation: string | undefined }) {
  return (
    <Facts
      of={[
        ['State', <Status key="state" of={job.status} />],
        [
          'Workflow',
          operation !== undefined && (
            <Link key="workflow" href={`/order/${operation}`}>
              {operation}
            </Link>
          ),
        ],
        ['Cost', `${many(job.credits_cost, 'credit')}${job.error ? ', given back' : ''}`],
        ['Ordered', <Time key="ordered" at={job.created_at} whole />],
        ['Took', took(job)],
        ['Model', job.image_model ?? 'the usual one'],
        ['Seed', job.seed],
        ['Part of', job.parent_job_id !== null && <JobLink key="batch" id={job.parent_job_id} />],
      ]}
    />
  );
}

function took({ started_at: started, finished_at: finished }: Job): string {
  if (started === null || finished === null) return '–';
  return `${((Date.parse(finished) - Date.parse(started)) / 1000).toFixed(1)} s`;
}

/** Each picture with its facts: its making, its inputs, its content. */
function Results({ artifacts }: { artifacts: readonly Artifact[] }) {
  return (
    <Section title={artifacts.length === 1 ? 'The picture' : 'The pictures'}>
      <div className="results">
        {artifacts.map((artifact) => (
          <article key={artifact.asset_id}>
            <div>
              <ResultPicture artifact={artifact} />
              <a className="button small download" href={artifact.image_url} download={fileOf(artifact)}>
                Download
              </a>
            </div>
            <Facts
              of={[
                ...Object.entries(artifact.meta).map(
                  ([name, value]) => [name.replaceAll('_', ' '), <Known key={name} value={value} />] as const,
                ),
                ['asset', <Id key="asset" id={artifact.asset_id} whole />],
              ]}
            />
          </article>
        ))}
      </div>
    </Section>
  );
}

/** The file name for a download. */
const fileOf = ({ kind, asset_id: id, s3_key: key }: Artifact) =>
  `${kind}-${id}${key.slice(key.lastIndexOf('.'))}`;

function Known({ value }: { value: unknown }) {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? <JsonDetails of={value} label="show" /> : JSON.stringify(value);
}

interface Input {
  readonly label: string;
  readonly id: string;
}

/** The pictures that a body names, by its schema. */
function inputsOf(given: BodySchema, value: unknown, name: string): Input[] {
  const schema = resolved(given);
  if (Array.isArray(value))
    return value.flatMap((each, at) => inputsOf(schema.items ?? {}, each, `${name} ${at + 1}`));
  const list = schema['x-choices'] ?? '';
  if (typeof value === 'string')
    return kindOf(schema) === 'picture' || list === '/v1/renders'
      ? [{ label: titleOf(name), id: value }]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {} } = schema;
  // Its own fields are in it.
  return Object.entries(value as OrderBody).flatMap(([field, each]) =>
    properties[field] ? inputsOf(properties[field], each, field) : [],
  );
}

function useInputs(job: Job): Input[] {
  const workflow = findWorkflow(useOperation(job.public_id));
  return workflow ? inputsOf(workflow.schema, job.request, '') : [];
}

/** The input beside what came of it, under a slider. */
function BeforeAfter({ inputs, after }: { inputs: Input[]; after: Artifact }) {
  const [chosen, choose] = useState(inputs[0]?.id ?? '');
  const [share, setShare] = useState(50);
  const before = usePicture(chosen);
  if (!before.data) return null;
  return (
    <Section
      title="Before and after"
      actions={
        inputs.length > 1 && (
          <Select
            label="Before"
            value={chosen}
            onChange={choose}
            options={inputs.map(({ id, label }) => [id, label] as const)}
          />
        )
      }
    >
      {/* Set by a script: the content policy allows that, but no style in the page. */}
      <div className="compare" style={{ '--share': `${share}%` } as CSSProperties}>
        <img src={after.thumbnails[1024]} alt={`After: ${after.label}`} />
        <img src={before.data.thumbnails[1024]} alt="Before" className="before" />
        <i aria-hidden="true" />
      </div>
      <input
        type="range"
        className="slider"
        aria-label="Visible share of the earlier picture, in per cent"
        value={share}
        onChange={(event) => setShare(Number(event.target.value))}
      />
    </Section>
  );
}
