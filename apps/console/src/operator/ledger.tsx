import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Label, Slider, SliderOutput, SliderThumb, SliderTrack } from 'react-aria-components';
import { Link, useParams } from 'wouter';
import { count, Credits, Id, JobLink, many, Status, Time } from '../shared/format.js';
import { Action, Facts, JsonDetails, Loaded, Page, Section, Select, Table, TextField } from '../shared/ui.js';
import { api, client, done, save, type Environment, type Schemas } from './api.js';
import { environmentOptions, useAccountChoice } from './environment.js';

type Account = Schemas['LedgerShowResult']['accounts'][number];
type Movement = Account['movements'][number];

/** How many movements are shown. One figure sums up the earlier ones. */
const limit = 200;

/** A tenant's account at any instant. It explains the balance line by line, down to the events. */
export function LedgerPage() {
  const { tenant = '' } = useParams();
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}', { params: { path: { tenant } } });
  if (query.data) return <Ledger tenant={tenant} {...query.data} />;
  return (
    <Page title="Ledger" lead={<Id id={tenant} whole />}>
      <Loaded query={query} lines={10}>
        {() => null}
      </Loaded>
    </Page>
  );
}

function Ledger({
  tenant,
  name,
  accounts,
}: Pick<Schemas['TenantsShowResult'], 'name' | 'accounts'> & { tenant: string }) {
  const { env, there, value, set } = useAccountChoice(accounts);
  const at = value('at') || undefined;
  const ask = (moment: string | undefined) => ({
    params: { path: { tenant }, query: { env, at: moment, limit: moment === undefined ? 0 : limit } },
  });
  const now = api.useQuery('get', '/admin/v1/tenants/{tenant}/account', ask(undefined));
  const latest = now.data?.accounts[0]?.revision;
  const then = api.useQuery(
    'get',
    '/admin/v1/tenants/{tenant}/account',
    ask(at ?? (latest === undefined ? undefined : String(latest))),
    { placeholderData: keepPreviousData, enabled: at !== undefined || latest !== undefined },
  );
  return (
    <Page
      title="Ledger"
      lead={
        <>
          <Link href={`/tenants/${tenant}`}>{name}</Link>, {env} account <Id id={tenant} whole />
        </>
      }
      actions={<SaveCsv tenant={tenant} env={env} />}
    >
      <Loaded query={now} lines={2}>
        {({ accounts: [account] }) =>
          account && (
            <Moment latest={account.revision} shown={then.data?.accounts[0]} {...{ env, there, at, set }} />
          )
        }
      </Loaded>
      <Loaded query={then} lines={10}>
        {({ accounts: [account] }) => account && <AccountThen account={account} />}
      </Loaded>
    </Page>
  );
}

interface MomentParts {
  readonly latest: number;
  readonly shown: Account | undefined;
  readonly env: Environment;
  readonly there: readonly Environment[];
  readonly at: string | undefined;
  readonly set: (name: string) => (text: string) => void;
}

/** Each step of the slider is an event of the account. */
function Moment({ latest, shown, env, there, at, set }: MomentParts) {
  const [dragged, drag] = useState<number>();
  const go = (revision: number) => set('at')(revision >= latest ? '' : String(Math.max(0, revision)));
  // The position comes from the address and not from the last answer, because key presses come faster than
  // answers.
  const here =
    dragged ?? (isRevision(at) ? Number(at) : at === undefined ? latest : (shown?.revision ?? latest));
  const end = (revision: number) => {
    drag(undefined);
    go(revision);
  };
  const byTime = (text: string) => set('at')(text === '' ? '' : new Date(text).toISOString());
  return (
    <Section title="At which moment">
      <Slider
        className="slider"
        minValue={0}
        maxValue={latest}
        value={here}
        onChange={drag}
        onChangeEnd={end}
      >
        <Label>Event of the account</Label>
        <SliderOutput>
          {count(here)} of {count(latest)}
        </SliderOutput>
        <SliderTrack className="track">
          <SliderThumb className="thumb" />
        </SliderTrack>
      </Slider>
      <div className="filters">
        <Select label="Environment" value={env} onChange={set('env')} options={environmentOptions(there)} />
        <TextField
          label="Or at a time"
          type="datetime-local"
          value={at?.includes('T') ? localTime(at) : ''}
          onChange={byTime}
        />
      </div>
      <div className="actions">
        <Button className="button small" isDisabled={here === 0} onPress={() => go(here - 1)}>
          One back
        </Button>
        <Button className="button small" isDisabled={here >= latest} onPress={() => go(here + 1)}>
          One on
        </Button>
        <Button className="button small" isDisabled={at === undefined} onPress={() => set('at')('')}>
          Now
        </Button>
      </div>
    </Section>
  );
}

const isRevision = (at: string | undefined) => at !== undefined && /^\d+$/.test(at);

/** The format of a browser's date field: without a zone, in the reader's time. */
function localTime(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function AccountThen({ account }: { account: Account }) {
  const { balance, status, plan, revision, position, recorded_at, open_charges: open } = account;
  return (
    <>
      <Facts
        of={[
          ['Balance', <Credits key="balance" value={balance} />],
          ['State', <Status key="state" of={status} />],
          ['Plan', plan],
          ['Open charges', openCharges(open)],
          ['As of', <Time key="at" at={recorded_at} whole />],
          ['Revision', count(revision)],
          ['Position in the log', position],
        ]}
      />
      <Movements account={account} />
    </>
  );
}

function openCharges(open: Account['open_charges']): string {
  if (open.length === 0) return 'none';
  const credits = open.reduce((sum, each) => sum + each.amount, 0);
  return `${count(open.length)}, ${many(credits, 'credit')}`;
}

function Movements({ account }: { account: Account }) {
  const { balance, movements } = account;
  const [first] = movements;
  const before = first ? first.balance_after - first.credits_delta : balance;
  const moved = movements.reduce((sum, each) => sum + each.credits_delta, 0);
  return (
    <Section
      title="Why the balance is what it is"
      lead={
        <>
          <Credits value={before} /> before these {count(movements.length)} of{' '}
          {many(account.movements_total, 'movement')}, <Credits value={moved} signed /> by them,{' '}
          <Credits value={before + moved} /> now.
        </>
      }
    >
      <Table
        label="Movements"
        rows={movements.toReversed()}
        keyOf={({ revision: each }) => String(each)}
        empty="Nothing has moved yet."
        columns={[
          { head: 'when', cell: ({ at }) => <Time at={at} whole /> },
          { head: 'event', number: true, cell: ({ revision: each }) => count(each) },
          {
            head: 'what',
            cell: ({ kind, label, operation, reason }) => `${kind}: ${reason ?? label ?? operation}`,
          },
          {
            head: 'job',
            cell: ({ job_id: id }) => id !== null && <JobLink id={id} />,
          },
          {
            head: 'credits',
            number: true,
            cell: ({ credits_delta: delta }) => <Credits value={delta} signed />,
          },
          { head: 'balance', number: true, cell: ({ balance_after: after }) => <Credits value={after} /> },
          {
            head: 'proof',
            cell: (movement) => <Proof of={movement} env={account.env} />,
          },
        ]}
      />
    </Section>
  );
}

/**
 * Proof that a movement is in the sealed history. Anyone with a kept seal can check it without this service.
 */
function Proof({ of: { id, kind }, env }: { of: Movement; env: Environment }) {
  const prove = async () => {
    const params = { path: { transaction: id }, query: { env, refund: kind === 'refund' } };
    const proof = await done(client.GET('/admin/v1/transactions/{transaction}/proof', { params }));
    return (
      <>
        <p>
          It is event {count(proof.index)} under seal {count(proof.seal.number)}, of{' '}
          <Time at={proof.seal.sealedAt} whole />. <code>atelier ledger verify-proof</code> checks the file,
          without this service.
        </p>
        <Button
          className="button"
          onPress={() => save(new Blob([JSON.stringify(proof, null, 2)]), `proof-${kind}-${id}.json`)}
        >
          Save the proof
        </Button>
        <JsonDetails of={proof} label="the proof" />
      </>
    );
  };
  return (
    <Action label="Prove" title="Proof of inclusion" confirm="Make it" small act={prove}>
      <p>Proves that this movement is in the sealed history. It changes nothing.</p>
    </Action>
  );
}

function SaveCsv({ tenant, env }: { tenant: string; env: Environment }) {
  const csv = async () => {
    const query = { tenant, env, format: 'csv' as const };
    const file = await done(client.GET('/admin/v1/ledger/export', { params: { query }, parseAs: 'blob' }));
    save(file, `ledger-${tenant}-${env}.csv`);
    return 'The file is saved: the opening balance and the movements add up to the closing balance.';
  };
  return (
    <Action label="Save as CSV" title="Save the ledger as CSV" confirm="Save" act={csv}>
      <p>The opening balance, each movement of {env}, and the closing balance.</p>
    </Action>
  );
}
