import { Link } from 'wouter';
import { many, Status, Time } from '../shared/format.js';
import { Action, Facts, Loaded, numberOf, Section, Table, TextField } from '../shared/ui.js';
import { api, change, client, done, lively, save, type Schemas } from './api.js';
import { useEnvironment, type AccountParts } from './environment.js';
import { TenantLink } from './tenant-name.js';

type Closing = Schemas['TenantsClosingsResult']['closings'][number];

const useClosings = () => api.useQuery('get', '/admin/v1/closings', {}, lively);

/** The closing of one account, if there is one. */
export function useClosing({ tenant, env }: AccountParts) {
  const query = useClosings();
  const closing = query.data?.closings.find((each) => each.tenant_id === tenant && each.env === env);
  return { query, closing };
}

export function ClosingLink({ of: { tenant_id: tenant, env, status } }: { of: Closing }) {
  return (
    <Link href={`/tenants/${tenant}/data?env=${env}`}>
      <Status of={status} />
    </Link>
  );
}

/** All closings, for the operator who has to approve one. */
export function Closings() {
  const { env } = useEnvironment();
  const query = useClosings();
  return (
    <Section title="Closings of tenants" lead="A closing erases all that a tenant has in an environment.">
      <Loaded query={query} lines={2}>
        {({ closings }) => (
          <Table
            label="Closings"
            rows={closings.filter((each) => env === undefined || each.env === env)}
            keyOf={(each) => `${each.tenant_id} ${each.env}`}
            empty="No tenant is being closed, and none was."
            columns={[
              { head: 'tenant', cell: ({ tenant_id: id }) => <TenantLink id={id} /> },
              { head: 'in', cell: (each) => each.env },
              { head: 'state', cell: ({ status }) => <Status of={status} /> },
              { head: 'notice', cell: ({ notice_days: days }) => many(days, 'day') },
              { head: 'by', cell: ({ proposed_by: by }) => by },
              { head: 'at', cell: ({ proposed_at: at }) => <Time at={at} /> },
              { head: 'approved by', cell: ({ approved_by: by }) => by },
              { head: 'erased after', cell: ({ due_at: at }) => at !== null && <Time at={at} whole /> },
              { head: 'closed', cell: ({ closed_at: at }) => at !== null && <Time at={at} whole /> },
              { head: 'decide', cell: (closing) => <DecideClosing of={closing} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

export function ClosingOf(account: AccountParts) {
  const { query, closing } = useClosing(account);
  return (
    <Section
      title="Closing"
      lead={closing ? explained[closing.status] : open}
      actions={
        <span className="actions">
          {closing?.status !== 'closed' && <DownloadArchive {...account} />}
          {query.data && !closing && <ProposeClosing {...account} />}
        </span>
      }
    >
      <Loaded query={query} lines={2}>
        {() =>
          closing && (
            <>
              <Facts
                of={[
                  ['State', <Status key="state" of={closing.status} />],
                  ['Notice', many(closing.notice_days, 'day')],
                  ['Proposed by', closing.proposed_by],
                  ['Proposed', <Time key="at" at={closing.proposed_at} whole />],
                  ['Approved by', closing.approved_by],
                  ['Erased after', closing.due_at && <Time key="due" at={closing.due_at} whole />],
                  ['Closed', closing.closed_at && <Time key="end" at={closing.closed_at} whole />],
                ]}
              />
              <DecideClosing of={closing} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const open =
  'Erases all that the tenant has in this environment. One operator proposes it, another approves it, and a notice period begins.';

const explained: Readonly<Record<Closing['status'], string>> = {
  proposed: 'Nothing has changed yet. Another operator has to approve it.',
  notice:
    'Dispatches are refused. When the notice period ends, the keys are revoked and everything is erased. Until then the closing can be cancelled.',
  erasing:
    'The notice period is over, and everything is being erased. This cannot be stopped. A legal hold delays it.',
  closed: 'Everything is erased. Amounts, times and ids stay.',
};

function ProposeClosing({ tenant, env }: AccountParts) {
  const propose = async (form: FormData) => {
    const body = { env, notice_days: numberOf(form, 'notice_days') };
    const sent = { params: { path: { tenant } }, body };
    const { notice_days: days } = await change(client.POST('/admin/v1/tenants/{tenant}/closing', sent));
    return `The closing is proposed, with ${many(days ?? 0, 'day')} of notice. Another operator must approve it.`;
  };
  return (
    <Action
      label="Close the tenant…"
      title={`Close the tenant in ${env}`}
      confirm="Propose it"
      danger
      small
      act={propose}
    >
      <p>Nothing happens until another operator approves. Then, in {env}:</p>
      <ol>
        <li>Its dispatches are refused at once. It can still read.</li>
        <li>
          When the notice period ends, its keys are revoked, and all its pictures, jobs, products and words
          are erased. Amounts, times and ids stay.
        </li>
      </ol>
      <p>
        It can be cancelled during the notice period. <strong>After it, nothing can be brought back.</strong>{' '}
        Download the archive before.
      </p>
      <TextField
        label="Days of notice"
        name="notice_days"
        type="number"
        min={0}
        hint="Empty: the default of this installation. 0: the erasing begins with the approval."
      />
    </Action>
  );
}

/** A closing that has begun, or is done, leaves nothing to decide. */
function DecideClosing({ of: { tenant_id: tenant, env, status, ...closing } }: { of: Closing }) {
  if (status !== 'proposed' && status !== 'notice') return null;
  const sent = { params: { path: { tenant } }, body: { env } };
  const approve = async () => {
    await change(client.POST('/admin/v1/tenants/{tenant}/closing/approve', sent));
    return 'The closing is approved. The tenant’s dispatches are refused from now on.';
  };
  const cancel = async () => {
    await change(client.POST('/admin/v1/tenants/{tenant}/closing/cancel', sent));
    return 'The closing is cancelled. The tenant goes on as before.';
  };
  const days = closing.notice_days;
  return (
    <span className="actions">
      {status === 'proposed' && (
        <Action
          label="Approve"
          title={`Approve the closing in ${env}`}
          confirm="Approve it"
          danger
          small
          act={approve}
        >
          <p>
            {closing.proposed_by} proposed to erase all that <TenantLink id={tenant} /> has in {env}. From now
            on its dispatches are refused.{' '}
            {days === 0
              ? 'There is no notice period: the erasing begins now.'
              : `You can cancel it for ${many(days, 'day')}. Then its keys are revoked and everything is erased.`}
          </p>
          <p>
            <strong>Nothing that is erased can be brought back.</strong>
          </p>
        </Action>
      )}
      <Action
        label={status === 'proposed' ? 'Decline' : 'Cancel the closing'}
        title={status === 'proposed' ? 'Decline the closing' : 'Cancel the closing'}
        confirm={status === 'proposed' ? 'Decline it' : 'Cancel it'}
        small
        act={cancel}
      >
        <p>
          {status === 'proposed'
            ? 'The proposal ends. Nothing has changed for the tenant.'
            : 'The tenant can dispatch again, unless it was suspended before.'}
        </p>
      </Action>
    </span>
  );
}

function DownloadArchive({ tenant, env }: AccountParts) {
  const download = async () => {
    const sent = { params: { path: { tenant } }, body: { env }, parseAs: 'blob' as const };
    save(await done(client.POST('/admin/v1/tenants/{tenant}/archive', sent)), `tenant-${tenant}-${env}.zip`);
    return 'The archive is saved.';
  };
  return (
    <Action label="Download all…" title={`Download all of ${env}`} confirm="Download" small act={download}>
      <p>
        A ZIP of all pictures, and of the events of all uploads, jobs and products as JSON. The ledger has its
        own file. For a large tenant, use <code>atelier tenants export</code>.
      </p>
    </Action>
  );
}
