import { useQuery } from '@tanstack/react-query';
import { count, Credits, Id, JobLink } from '../shared/format.js';
import { Action, Loaded, Select, Table, textOf, TextField } from '../shared/ui.js';
import { client, done, queries, type Schemas } from './api.js';
import { keyOf, OnceField } from './once.js';

type Outcomes = Schemas['JobsCancelResult'];

const failures = [
  ['ENGINE_OUTCOME_UNKNOWN', 'the model’s answer is unknown'],
  ['ENGINE_CAPACITY', 'the model has no capacity'],
  ['ENGINE_MISCONFIGURED', 'the model is misconfigured'],
  ['ENGINE_NO_IMAGE', 'the model gave no picture'],
] as const;

const repairs = {
  cancel: {
    label: 'Cancel',
    title: 'Cancel and refund',
    confirm: 'Cancel and refund',
    danger: true,
    about: 'Ends the jobs early. Each tenant gets the credits back; a batch ends as a whole.',
  },
  fail: {
    label: 'Fail',
    title: 'End as failed and refund',
    confirm: 'Fail and refund',
    danger: true,
    about: 'For jobs whose attempt hangs. Their tenants see the code below, and get their credits back.',
  },
  retry: {
    label: 'Order again',
    title: 'Order again as new jobs',
    confirm: 'Order again',
    danger: false,
    about: 'Dispatches new jobs, and charges their tenants today’s price. The first jobs stay as they are.',
  },
} as const;

type Repair = keyof typeof repairs;

/** The possible repairs of a job, by its state in its stream or in the read model. */
const takenIn: Readonly<Record<string, readonly Repair[]>> = {
  queued: ['cancel'],
  NOT_STARTED: ['cancel'],
  rendering: ['cancel', 'fail'],
  IN_PROGRESS: ['cancel', 'fail'],
  failed: ['retry'],
  cancelled: ['retry'],
  FAILURE: ['retry'],
  succeeded: ['retry'],
  SUCCESS: ['retry'],
};

export interface JobInState {
  readonly job_id: string;
  readonly status: string;
  readonly parent_job_id: string | null;
  readonly child_job_ids?: readonly string[];
}

function takes(repair: Repair, { status, parent_job_id: parent, child_job_ids: children }: JobInState) {
  // A batch is ordered again by its tenant.
  const isOfBatch = parent !== null || (children ?? []).length > 0;
  return (takenIn[status] ?? []).includes(repair) && !(repair === 'retry' && isOfBatch);
}

function ask(
  repair: Repair,
  all: readonly JobInState[],
  confirm: boolean,
  form?: FormData,
): Promise<Outcomes> {
  const body = { jobs: all.map(({ job_id }) => job_id), confirm };
  if (repair === 'cancel') return done(client.POST('/admin/v1/jobs/cancel', { body }));
  // Among several, only failures are meant.
  const succeeded = all.length === 1;
  if (repair === 'retry') {
    const params = form && { header: keyOf(form) };
    return done(client.POST('/admin/v1/jobs/retry', { params, body: { ...body, succeeded } }));
  }
  // One of the list of the field.
  const code = (form && textOf(form, 'code')) as (typeof failures)[number][0] | undefined;
  const message = form && textOf(form, 'message');
  return done(client.POST('/admin/v1/jobs/fail', { body: { ...body, code, message } }));
}

interface RepairsParts {
  readonly jobs: readonly JobInState[];
  readonly only?: readonly Repair[];
  readonly finished?: () => void;
}

/**
 * For one job: its possible repairs. For jobs chosen from a list: every repair that fits at least one of them.
 */
export function Repairs({ jobs, only = ['cancel', 'fail', 'retry'], finished }: RepairsParts) {
  return (
    // An impossible repair is hidden and not removed, because the dialog with its result belongs to it.
    <div className={finished ? 'actions' : 'actions offered'} role="group" aria-label="What to do with it">
      {only.map((repair) => (
        <RepairAction key={repair} {...{ repair, jobs, finished }} />
      ))}
    </div>
  );
}

interface RepairParts {
  readonly repair: Repair;
  readonly jobs: readonly JobInState[];
  readonly finished?: () => void;
}

/** Shows the effect before the repair, and the result after it. */
function RepairAction({ repair, jobs, finished }: RepairParts) {
  const { about, label, ...words } = repairs[repair];
  const carryOut = async (form: FormData) => {
    const outcomes = await ask(repair, jobs, true, form);
    await queries.invalidateQueries();
    finished?.();
    return <OutcomesTable outcomes={outcomes} />;
  };
  return (
    <Action
      {...words}
      label={jobs.length > 1 ? `${label} (${count(jobs.length)})` : label}
      small
      disabled={!jobs.some((job) => takes(repair, job))}
      wide
      act={carryOut}
    >
      <p>{about}</p>
      {repair === 'fail' && <FailFields />}
      {repair === 'retry' && <OnceField />}
      <DryRun repair={repair} jobs={jobs} />
    </Action>
  );
}

function FailFields() {
  return (
    <div className="columns">
      <Select label="Message for their callers" name="code" options={failures} />
      <TextField
        label="In words"
        name="message"
        initial="Ended by the operator. Your credits were refunded."
      />
    </div>
  );
}

function DryRun({ repair, jobs }: RepairParts) {
  const query = useQuery({
    queryKey: ['dry run', repair, jobs],
    queryFn: () => ask(repair, jobs, false),
    gcTime: 0,
  });
  return <Loaded query={query}>{(outcomes) => <OutcomesTable outcomes={outcomes} />}</Loaded>;
}

function OutcomesTable({ outcomes: { dry_run: dryRun, jobs } }: { outcomes: Outcomes }) {
  const credits = jobs.reduce((sum, each) => sum + each.credits, 0);
  const concerned = jobs.filter((each) => (dryRun ? each.credits > 0 : each.done)).length;
  return (
    <>
      <p>
        <strong>
          {dryRun ? 'It would concern' : 'It was done for'} {count(concerned)} of {count(jobs.length)}, and{' '}
          {count(credits)} credits.
        </strong>
      </p>
      <Table
        label={dryRun ? 'What would happen' : 'What happened'}
        rows={jobs}
        keyOf={({ job_id }) => job_id}
        empty="No job was chosen."
        columns={[
          { head: 'job', cell: ({ job_id }) => <Id id={job_id} /> },
          { head: 'outcome', cell: ({ outcome }) => outcome },
          { head: 'credits', number: true, cell: (each) => <Credits value={each.credits} /> },
          {
            head: 'new job',
            cell: ({ new_job_id: id }) => id !== undefined && <JobLink id={id} />,
          },
        ]}
      />
    </>
  );
}
