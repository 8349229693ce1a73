import { useQueryClient } from '@tanstack/react-query';
import type { Answer, ListRow } from '@atelier/client';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { Id, Status, Time } from '../shared/format.js';
import {
  Action,
  JsonDetails,
  Loaded,
  Page,
  Section,
  Select,
  Table,
  textOf,
  TextField,
} from '../shared/ui.js';
import { answered, ownClient, useAsked } from './api.js';

type Webhook = Answer<'/v1/webhooks/{public_id}'>;
type Delivery = ListRow<'/v1/webhooks/{public_id}/deliveries'>;

const topics = [
  ...(['job.succeeded', 'job.failed', 'job.stage', 'batch.finished'] as const),
  ...(['credits.low', 'webhook.disabled'] as const),
];

/** The answer of a change. Before it returns, all shown data is read again. */
function useChange() {
  const queries = useQueryClient();
  return async <Data,>(asked: Promise<Data>): Promise<Data> => {
    const answer = await answered(asked);
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
    return answer;
  };
}

export function WebhooksPage() {
  const query = useAsked(['webhooks'], (atelier) => atelier.get('/v1/webhooks'));
  return (
    <Page
      title="Webhooks"
      lead={
        <>
          Endpoints that get messages about your jobs and credits.{' '}
          <a href="/docs/guides/webhooks">How messages are signed</a>
        </>
      }
      actions={<Create />}
    >
      <Loaded query={query}>
        {({ items }) => (
          <Table
            label="Endpoints"
            rows={items}
            keyOf={({ public_id }) => public_id}
            empty="No endpoint is registered. Add one to get a message when a job ends, instead of polling."
            columns={[
              {
                head: 'endpoint',
                cell: ({ public_id, url }) => <Link href={`/webhooks/${public_id}`}>{url}</Link>,
              },
              { head: 'about', cell: ({ description }) => description },
              { head: 'state', cell: (webhook) => <State of={webhook} /> },
              { head: 'messages', cell: ({ events }) => events.join(', ') },
              { head: 'since', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

function State({ of: { enabled, disabled_because: why } }: { of: Webhook }) {
  return (
    <>
      <Status of={enabled ? 'enabled' : 'disabled'} />
      {why && <span className="soft"> ({why})</span>}
    </>
  );
}

function Secret({ secret }: { secret: string }) {
  return (
    <>
      <p>This is shown once. Messages are signed with it: keep it where your endpoint can read it.</p>
      <code className="secret">{secret}</code>
    </>
  );
}

function Create() {
  const change = useChange();
  const act = async (form: FormData) => {
    const events = topics.filter((topic) => form.getAll('events').includes(topic));
    const body = { url: textOf(form, 'url') ?? '', description: textOf(form, 'description'), events };
    const { secret } = await change(ownClient().post('/v1/webhooks', body));
    return <Secret secret={secret} />;
  };
  return (
    <Action label="Add an endpoint" title="Add an endpoint" confirm="Add it" act={act}>
      <TextField
        label="Where messages are sent"
        name="url"
        placeholder="https://shop.example/hooks/atelier"
        required
      />
      <TextField label="What it is" name="description" placeholder="Back office" />
      <fieldset className="checks">
        <legend>Which messages</legend>
        {topics.map((topic) => (
          <label key={topic} className="check">
            <input type="checkbox" name="events" value={topic} defaultChecked={topic !== 'job.stage'} />
            {topic}
          </label>
        ))}
      </fieldset>
    </Action>
  );
}

function Changes({ webhook: { public_id, enabled, url } }: { webhook: Webhook }) {
  const change = useChange();
  const rotate = async () => {
    const body = { overlap_hours: 24 };
    const { secret } = await change(
      ownClient().post('/v1/webhooks/{public_id}/rotate-secret', body, { public_id }),
    );
    return <Secret secret={secret} />;
  };
  const turn = async () => {
    await change(ownClient().patch('/v1/webhooks/{public_id}', { enabled: !enabled }, { public_id }));
    return enabled ? 'It is not called any more.' : 'It is called again.';
  };
  const test = async () => {
    await change(ownClient().post('/v1/webhooks/{public_id}/test', undefined, { public_id }));
    return 'A test message is on its way: it appears in the list in a moment.';
  };
  const resend = async () => {
    await change(ownClient().post('/v1/webhooks/{public_id}/resend', { failed: true }, { public_id }));
    return 'Failed deliveries are sent again in the background.';
  };
  const remove = async () => {
    await change(ownClient().delete('/v1/webhooks/{public_id}', { public_id }));
    return 'It is removed.';
  };
  return (
    <>
      <Action label="Send a test" title="Send a test message" confirm="Send it" act={test}>
        <p>
          A message <code>webhook.test</code> goes to {url}.
        </p>
      </Action>
      <Action label="Send failed ones again" title="Send them again" confirm="Send again" act={resend}>
        <p>
          All deliveries that have failed for good are sent again. Your endpoint may get a message twice, with
          the same id.
        </p>
      </Action>
      <Action label="New secret" title="Give it a new secret" confirm="Make a new secret" act={rotate}>
        <p>The current secret still signs for 24 hours, beside the new one.</p>
      </Action>
      <Action
        label={enabled ? 'Stop' : 'Go on'}
        title={enabled ? 'Stop it' : 'Let it go on'}
        confirm={enabled ? 'Stop' : 'Go on'}
        act={turn}
      >
        <p>
          {enabled
            ? 'It gets no messages until you let it go on. Messages missed in the meantime are not sent later.'
            : `Messages go to ${url} again.`}
        </p>
      </Action>
      <Action label="Remove" title="Remove it" confirm="Remove it for good" danger act={remove}>
        <p>Nothing is sent to {url} any more, and its list of deliveries is gone.</p>
      </Action>
    </>
  );
}

const states = [
  ['', 'any'],
  ['pending', 'pending'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
] as const;

/** One endpoint: its deliveries, with each attempt. */
export function DeliveriesPage() {
  const { id: public_id = '' } = useParams();
  const [status, setStatus] = useState('');
  const webhook = useAsked(['webhooks', public_id], (atelier) =>
    atelier.get('/v1/webhooks/{public_id}', { public_id }),
  );
  const deliveries = useAsked(
    ['webhooks', public_id, 'deliveries', status],
    (atelier) => {
      const chosen = states.map(([each]) => each).find((each) => each === status);
      return atelier.get('/v1/webhooks/{public_id}/deliveries', {
        public_id,
        limit: 100,
        ...(chosen && { status: chosen }),
      });
    },
    { refetchInterval: 3_000 },
  );
  return (
    <Page
      title={webhook.data?.description || 'Endpoint'}
      lead={
        webhook.data && (
          <>
            {webhook.data.url} · <State of={webhook.data} />
          </>
        )
      }
      actions={webhook.data && <Changes webhook={webhook.data} />}
    >
      <Section
        title="Deliveries of the last 30 days"
        actions={<Select label="State" value={status} onChange={setStatus} options={states} />}
      >
        <Loaded query={deliveries} lines={8}>
          {({ items }) => (
            <Table
              label="Deliveries"
              rows={items}
              keyOf={(each) => each.public_id}
              empty="Nothing was sent yet. Send a test, or order something."
              columns={[
                { head: 'when', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
                { head: 'delivery', cell: (each) => <Id id={each.public_id} /> },
                { head: 'message', cell: ({ type }) => <code>{type}</code> },
                { head: 'state', cell: (each) => <Status of={each.status} /> },
                { head: 'attempts', cell: (each) => <Attempts delivery={each} /> },
                { head: 'again', cell: (each) => <Resend webhookId={public_id} delivery={each} /> },
              ]}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}

function Attempts({ delivery: { attempts, next_attempt_at: next } }: { delivery: Delivery }) {
  return (
    <div className="attempts">
      {attempts.map(({ at, duration_ms: ms, status_code: code, answer, error }) => (
        <div key={at}>
          <Time at={at} />: {code === null ? <span className="bad">{error}</span> : <strong>{code}</strong>}{' '}
          <span className="soft">{ms} ms</span>
          {answer !== null && answer !== '' && <JsonDetails of={answer} label="answer" />}
        </div>
      ))}
      {next !== null && (
        <span className="soft">
          next <Time at={next} whole />
        </span>
      )}
    </div>
  );
}

function Resend({ webhookId, delivery }: { webhookId: string; delivery: Delivery }) {
  const change = useChange();
  const act = async () => {
    const body = { delivery_id: delivery.public_id };
    await change(ownClient().post('/v1/webhooks/{public_id}/resend', body, { public_id: webhookId }));
    return 'It is sent again in the background.';
  };
  return (
    <Action label="Send again" title="Send it again" confirm="Send again" small act={act}>
      <p>
        The same message <code>{delivery.type}</code> goes out with the same id, so an endpoint that already
        has it can recognise it.
      </p>
    </Action>
  );
}
