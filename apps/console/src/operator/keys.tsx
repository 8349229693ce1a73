import { Id, Status, Time } from '../shared/format.js';
import { Action, Facts, Loaded, numberOf, Section, Select, Table, textOf, TextField } from '../shared/ui.js';
import { api, change, client, type Environment, type Schemas } from './api.js';
import { environmentOf } from './environment.js';

type Key = Schemas['KeysListResult']['keys'][number];

export function Keys({ tenant, environments }: { tenant: string; environments: Environment[] }) {
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}/keys', { params: { path: { tenant } } });
  return (
    <Section title="Keys" actions={<IssueKey tenant={tenant} environments={environments} />}>
      <Loaded query={query} lines={3}>
        {({ keys }) => (
          <Table
            label="Keys"
            rows={keys}
            keyOf={({ key_id }) => key_id}
            empty="The tenant has no key, and cannot dispatch. Issue a key."
            columns={[
              { head: 'key', cell: ({ key_id: id }) => <Id id={id} /> },
              { head: 'in', cell: ({ env }) => env },
              { head: 'for', cell: ({ label }) => label },
              { head: 'may', cell: ({ capabilities }) => capabilities.join(', ') },
              { head: 'state', cell: ({ status }) => <Status of={status} /> },
              { head: 'issued', cell: ({ issued_at: at }) => <Time at={at} /> },
              { head: 'ends', cell: ({ retires_at, revoked_at }) => <Time at={revoked_at ?? retires_at} /> },
              { head: 'change', cell: (key) => <KeyActions of={key} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** A secret is in no log and in no cache of this page. So it cannot be shown again after the dialog closes. */
function Secret({ secret, about }: { secret: string; about: string }) {
  return (
    <>
      <p>
        <strong>It is shown only once.</strong> Hand it to {about} in a way that no one else can read.
      </p>
      <code className="secret">{secret}</code>
    </>
  );
}

function IssueKey({ tenant, environments }: { tenant: string; environments: Environment[] }) {
  const issue = async (form: FormData) => {
    const rule = textOf(form, 'rule');
    const {
      key,
      key_id,
      signing_secret: signing,
    } = await change(
      client.POST('/admin/v1/tenants/{tenant}/keys', {
        params: { path: { tenant } },
        body: {
          env: environmentOf(form) ?? 'test',
          label: textOf(form, 'label'),
          capabilities: form.get('may') === 'read' ? ['jobs:read'] : ['jobs:create', 'jobs:read'],
          ...((rule === 'always' || rule === 'timed') && { require_signature: rule }),
        },
      }),
    );
    return (
      <>
        <Facts of={[['Key', <Id key="key" id={key_id} />]]} />
        <Secret secret={key} about="the tenant" />
        {signing !== undefined && (
          <>
            <p>Its signing secret:</p>
            <code className="secret">{signing}</code>
          </>
        )}
      </>
    );
  };
  return (
    <Action label="Issue a key" title="Issue a key" confirm="Issue it" small act={issue}>
      <div className="columns">
        <Select label="Environment" name="env" options={environments.map((env) => [env, env] as const)} />
        <Select
          label="It may"
          name="may"
          options={[
            ['all', 'dispatch and read'],
            ['read', 'read only'],
          ]}
        />
      </div>
      <TextField label="What it is for" name="label" />
      <Select
        label="Signatures"
        name="rule"
        options={[
          ['', 'may be there'],
          ['always', 'must be there'],
          ['timed', 'must be there, with their time'],
        ]}
      />
    </Action>
  );
}

const hourMs = 3_600_000;

function KeyActions({ of: { key_id: key, status, label } }: { of: Key }) {
  const params = { params: { path: { key } } };
  if (status === 'revoked' || status === 'retired') return null;
  const rotate = async (form: FormData) => {
    const overlap = (numberOf(form, 'hours') ?? 24) * hourMs;
    const rotated = await change(
      client.POST('/admin/v1/keys/{key}/rotate', { ...params, body: { overlap } }),
    );
    return (
      <>
        <p>
          The old key works until <Time at={rotated.retires_at} whole />.
        </p>
        <Secret secret={rotated.key} about="the tenant" />
      </>
    );
  };
  const revoke = async (form: FormData) => {
    const body = { reason: textOf(form, 'reason') };
    await change(client.POST('/admin/v1/keys/{key}/revoke', { ...params, body }));
    return 'The key is revoked.';
  };
  const name = label === '' ? `the key …${key.slice(-8)}` : `the key “${label}”`;
  return (
    <span className="actions">
      {status === 'active' && (
        <Action label="Rotate" title={`Rotate ${name}`} confirm="Rotate" small act={rotate}>
          <p>This makes a new key with the same rights. The old key works for the time below.</p>
          <TextField label="For how many hours" name="hours" type="number" min={0} initial="24" required />
        </Action>
      )}
      <Action label="Revoke" title={`Revoke ${name}`} confirm="Revoke for good" danger small act={revoke}>
        <p>Requests with it are refused from now on. This cannot be undone.</p>
        <TextField label="Why, for the record" name="reason" />
      </Action>
    </span>
  );
}
