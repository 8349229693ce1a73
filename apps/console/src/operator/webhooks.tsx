import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Id, Status, Time } from '../shared/format.js';
import { Action, JsonDetails, Loaded, Section, Table, type Column } from '../shared/ui.js';
import { api, change, client, type Environment, type Schemas } from './api.js';

type Endpoint = Schemas['WebhooksListResult']['webhooks'][number];
type Delivery = Schemas['WebhooksDeliveriesResult']['deliveries'][number];

export function Webhooks({ tenant }: { tenant: string }) {
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}/webhooks', { params: { path: { tenant } } });
  const [open, setOpen] = useState<Endpoint>();
  return (
    <>
      <Section title="Webhook endpoints">
        <Loaded query={query} lines={2}>
          {({ webhooks }) => (
            <Table
              label="Webhook endpoints"
              rows={webhooks}
              keyOf={({ webhook_id }) => webhook_id}
              empty="The tenant has no endpoint. It polls its jobs."
              columns={[
                { head: 'address', cell: ({ url }) => <span className="id">{url}</span> },
                { head: 'in', cell: ({ env }) => env },
                { head: 'messages', cell: ({ events }) => events.join(', ') },
                {
                  head: 'state',
                  cell: ({ disabled_at, disabled_because: why }) =>
                    disabled_at === undefined ? <Status of="active" /> : <Status of={`disabled, ${why}`} />,
                },
                {
                  head: 'deliveries',
                  cell: (endpoint) => (
                    <Button className="button small" onPress={() => setOpen(endpoint)}>
                      Show
                    </Button>
                  ),
                },
              ]}
            />
          )}
        </Loaded>
      </Section>
      {open && <DeliveriesOf tenant={tenant} endpoint={open} />}
    </>
  );
}

function DeliveriesOf({
  tenant,
  endpoint: { webhook_id: webhook, env, url },
}: {
  tenant: string;
  endpoint: Endpoint;
}) {
  const path = { tenant, webhook };
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}/webhooks/{webhook}/deliveries', {
    params: { path, query: { env, limit: 50 } },
  });
  const columns: Column<Delivery>[] = [
    { head: 'delivery', cell: ({ deliveryId: id }) => <Id id={id} /> },
    { head: 'message', cell: ({ type }) => type },
    { head: 'of', cell: ({ occurredAt: at }) => <Time at={at} /> },
    { head: 'state', cell: ({ status }) => <Status of={status} /> },
    { head: 'next', cell: ({ nextAttemptAt: at }) => at !== null && <Time at={at} whole /> },
    {
      head: 'attempts',
      cell: ({ made, attempts }) => (
        <JsonDetails of={made} label={`${attempts}, the last: ${lastOf(made)}`} />
      ),
    },
    {
      head: 'change',
      cell: ({ deliveryId: delivery }) => <Resend path={path} env={env} delivery={delivery} />,
    },
  ];
  return (
    <Section title={`Deliveries to ${url}`} lead="The last 30 days, newest first.">
      <Loaded query={query}>
        {({ deliveries }) => (
          <Table
            label="Deliveries"
            rows={deliveries}
            keyOf={({ deliveryId }) => deliveryId}
            columns={columns}
            empty="Nothing was sent to it in the last 30 days."
          />
        )}
      </Loaded>
    </Section>
  );
}

const lastOf = (made: Delivery['made']) => {
  const last = made.at(-1);
  return last ? (last.statusCode ?? last.error ?? 'no answer') : 'none';
};

interface ResendParts {
  readonly path: { tenant: string; webhook: string };
  readonly env: Environment;
  readonly delivery: string;
}

function Resend({ path, env, delivery }: ResendParts) {
  const send = async () => {
    const body = { env, delivery };
    await change(
      client.POST('/admin/v1/tenants/{tenant}/webhooks/{webhook}/resend', { params: { path }, body }),
    );
    return 'It is sent again.';
  };
  return (
    <Action label="Send again" title="Send it again" confirm="Send" small act={send}>
      <p>The same message with the same id: the receiver can recognise it.</p>
    </Action>
  );
}
