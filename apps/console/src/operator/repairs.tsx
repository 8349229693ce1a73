import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { count, Credits, Id } from '../shared/format.js';
import { Action, Loaded, Select, Table, textOf, TextField } from '../shared/ui.js';
import { client, done, type Schemas } from './api.js';

type Outcomes = Schemas['JobsCancelResult'];

const failures = [
  ['ENGINE_OUTCOME_UNKNOWN', 'the model’s answer is unknown'],
  ['ENGINE_CAPACITY', 'the model has no capacity'],
  ['ENGINE_MISCONFIGURED', 'the model is misconfigured'],
  ['ENGINE_NO_IMAGE', 'the model gave no picture'],
] as const;

const repairs = {
  cancel: {
    ...{ label: 'Cancel', title: 'Cancel and refund', confirm: 'Cancel and refund', danger: true },
    about: 'Ends them before they are done. What each cost goes back to its tenant; a batch ends as a whole.',
  },
  fail: {
    ...{ label: 'Fail', title: 'End as failed and refund', confirm: 'Fail and refund', danger: true },
    about: 'For jobs whose attempt hangs. Their tenants are told the code below, and get their credits back.',
  },
  retry: {
    ...{ label: 'Order again', title: 'Order again as new jobs', confirm: 'Order again', danger: false },
    about: 'What failed or was cancelled is dispatched anew, and charged to its tenant at the price of now.',
  },
} as const;

type Repair = keyof typeof repairs;

function ask(repair: Repair, jobs: string[], confirm: boolean, form?: FormData): Promise<Outcomes> {
  const body = { jobs, confirm };
  if (repair === 'cancel') return done(client.POST('/admin/v1/jobs/cancel', { body }));
  if (repair === 'retry') return done(client.POST('/admin/v1/jobs/retry', { body }));
  // One of the list of the field.
  const code = (form && textOf(form, 'code')) as (typeof failures)[number][0] | undefined;
  const message = form && textOf(form, 'message');
  return done(client.POST('/admin/v1/jobs/fail', { body: { ...body, code, message } }));
}

/** For the chosen jobs, one or many: what would happen is shown before it does, and what did, after it. */
export function Repairs({ jobs, done: finished }: { jobs: string[]; done?: () => void }) {
  const queries = useQueryClient();
  const carryOut = (repair: Repair) => async (form: FormData) => {
    const outcomes = await ask(repair, jobs, true, form);
    await queries.invalidateQueries();
    finished?.();
    return <OutcomesTable outcomes={outcomes} />;
  };
  return (
    <div className="actions" role="group" aria-label="What to do with the chosen jobs">
      {(['cancel', 'fail', 'retry'] as const).map((repair) => {
        const { about, ...words } = repairs[repair];
        return (
          <Action
            key={repair}
            {...words}
            label={labelOf(words.label, jobs)}
            small
            disabled={jobs.length === 0}
            wide
            act={carryOut(repair)}
          >
            <p>{about}</p>
            {repair === 'fail' && <FailFields />}
            <DryRun repair={repair} jobs={jobs} />
          </Action>
        );
      })}
    </div>
  );
}

const labelOf = (label: string, jobs: string[]) =>
  jobs.length > 1 ? `${label} (${count(jobs.length)})` : label;

function FailFields() {
  return (
    <div className="columns">
      <Select label="What their callers are told" name="code" options={failures} />
      <TextField
        label="In words"
        name="message"
        initial="Ended by the operator. Your credits were refunded."
      />
    </div>
  );
}

function DryRun({ repair, jobs }: { repair: Repair; jobs: string[] }) {
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
            cell: ({ new_job_id: id }) =>
              id !== undefined && (
                <Link href={`/jobs/${id}`}>
                  <Id id={id} />
                </Link>
              ),
          },
        ]}
      />
    </>
  );
}
