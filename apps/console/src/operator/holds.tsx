import { Id, JobLink, Time } from '../shared/format.js';
import { Action, Loaded, Section, Select, Table, textOf, TextField } from '../shared/ui.js';
import { api, change, client, type Schemas } from './api.js';
import type { AccountParts } from './environment.js';

type Hold = Schemas['HoldsListResult']['holds'][number];

export function Holds({ tenant, env }: AccountParts) {
  const params = { path: { tenant }, query: { env } };
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}/holds', { params });
  return (
    <Section
      title="Legal holds"
      lead="A hold keeps a job or a person from being erased, on request or by time, until it is lifted. A closing of the tenant waits for it."
      actions={<PlaceHold tenant={tenant} env={env} />}
    >
      <Loaded query={query} lines={2}>
        {({ holds }) => (
          <Table
            label="Legal holds"
            rows={holds}
            keyOf={({ hold_id }) => hold_id}
            empty="No hold is in force."
            columns={[
              { head: 'hold', cell: ({ hold_id: id }) => <Id id={id} /> },
              {
                head: 'keeps',
                cell: ({ job_id: job, data_subject: person }) =>
                  job === null ? `the person ${person}` : <JobLink id={job} />,
              },
              { head: 'why', cell: ({ reason }) => reason },
              { head: 'since', cell: ({ placed_at: at }) => <Time at={at} /> },
              { head: 'change', cell: (hold) => <LiftHold tenant={tenant} env={env} of={hold} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function PlaceHold({ tenant, env }: AccountParts) {
  const place = async (form: FormData) => {
    const name = textOf(form, 'name') ?? '';
    const held = form.get('kind') === 'job' ? { job: name } : { data_subject: name };
    const body = { env, ...held, reason: textOf(form, 'reason') ?? '' };
    const sent = { params: { path: { tenant } }, body };
    await change(client.POST('/admin/v1/tenants/{tenant}/holds', sent));
    return 'The hold is in force.';
  };
  return (
    <Action label="Place a hold…" title={`Place a legal hold in ${env}`} confirm="Place it" small act={place}>
      <p>
        A hold on a person keeps all that belongs to them. A hold on a job keeps its pictures, and those that
        it was ordered with. It does not stop an erasure that has already begun.
      </p>
      <Select
        label="Keep"
        name="kind"
        options={[
          ['person', 'a person'],
          ['job', 'a job'],
        ]}
      />
      <TextField label="The person’s name as the tenant uses it, or the job’s id" name="name" required />
      <TextField label="Why, for the record" name="reason" required />
    </Action>
  );
}

function LiftHold({ tenant, env, of: { hold_id: hold, reason: why } }: AccountParts & { of: Hold }) {
  const lift = async (form: FormData) => {
    const params = { path: { tenant, hold } };
    const body = { env, reason: textOf(form, 'reason') ?? '' };
    await change(client.POST('/admin/v1/tenants/{tenant}/holds/{hold}/lift', { params, body }));
    return 'The hold is lifted.';
  };
  return (
    <Action label="Lift" title="Lift the legal hold" confirm="Lift it" danger small act={lift}>
      <p>
        It was placed because: “{why}”. Once it is lifted, what it kept can be erased. Things whose time is
        over are then erased within minutes.
      </p>
      <TextField label="Why, for the record" name="reason" required />
    </Action>
  );
}
