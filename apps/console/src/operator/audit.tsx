import { count, Id, Time } from '../shared/format.js';
import { Action, Facts, JsonDetails, Loaded, Page, Section, Table, textOf, TextField } from '../shared/ui.js';
import { api, client, done, type Schemas } from './api.js';
import { useEnvironment } from './environment.js';
import { EarlierRuns, FollowedRun, useFollowedRun, type Run } from './runs.js';

type Report = Schemas['LedgerAuditResult'];

export function AuditPage() {
  const { env } = useEnvironment();
  const { run, follow } = useFollowedRun();
  const start = async (form: FormData) => {
    const body = { env, tenant: textOf(form, 'tenant'), at: textOf(form, 'at') };
    follow(await done(client.POST('/admin/v1/audits', { body })));
    return '';
  };
  return (
    <Page
      title="Audit"
      lead="Checks all invariants against history, row for row. It changes nothing."
      actions={
        <Action label="Start an audit" title="Start an audit" confirm="Start" act={start}>
          <p className="soft">
            It reads {env ?? 'both environments'} from the first event on, and takes a while on a long log.
          </p>
          <TextField label="Only this tenant" name="tenant" />
          <TextField
            label="History up to"
            name="at"
            placeholder="2026-01-31T12:00:00Z, or a position"
            hint="Read models only show the present, so an audit of the past does not compare them."
          />
        </Action>
      }
    >
      {run !== undefined && (
        <FollowedRun key={run} id={run}>
          {(followed) => <AuditReport run={followed} />}
        </FollowedRun>
      )}
      <LastOnes />
      <Seals />
      <EarlierRuns of="ledger audit" follow={follow} />
    </Page>
  );
}

/** The last audit, nightly or not, and the last seal. */
function LastOnes() {
  const query = api.useQuery('get', '/admin/v1/now', {});
  return (
    <Section title="The last ones">
      <Loaded query={query} lines={3}>
        {({ last_audit: audit, failed_audit: failed, seals }) => (
          <Facts
            of={[
              ['Audit', audit ? <Time key="at" at={audit.at} /> : 'none yet'],
              ['By', audit?.by],
              [
                'It found',
                audit && (
                  <span className={audit.holds ? 'good' : 'bad'}>{audit.summary ?? audit.outcome}</span>
                ),
              ],
              ['One failed', failed && <Time key="failed" at={failed.at} />],
              ['Because', failed && <span className="bad">{failed.summary}</span>],
              ['Seal', seals.last === null ? 'none yet' : `number ${count(seals.last)}`],
              ['Sealed', seals.sealed_at !== null && <Time at={seals.sealed_at} />],
              ['Unsealed since', seals.waiting_since !== null && <Time at={seals.waiting_since} />],
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** Sealed ranges of the log. If one seal is kept elsewhere, any change to the history before it is noticed. */
function Seals() {
  const query = api.useQuery('get', '/admin/v1/seals', { params: { query: { limit: 20 } } });
  return (
    <Section
      title="Seals"
      lead="The latest first. “atelier seal export” saves them: keep the file where no one can alter it."
    >
      <Loaded query={query} lines={4}>
        {({ seals }) => (
          <Table
            label="Seals"
            rows={seals}
            keyOf={({ number }) => String(number)}
            empty="Nothing is sealed yet: a projector with a seal key seals the log as it grows."
            columns={[
              { head: 'seal', number: true, cell: ({ number }) => count(number) },
              { head: 'sealed', cell: ({ sealed_at: at }) => <Time at={at} /> },
              { head: 'events', number: true, cell: ({ events }) => count(events) },
              {
                head: 'up to',
                cell: ({ last }) => <span className="id">{`${last.stream}, ${last.revision}`}</span>,
              },
              { head: 'key', cell: ({ key }) => <Id id={key} /> },
              { head: 'root', cell: ({ root }) => <Id id={root} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function AuditReport({ run }: { run: Run }) {
  if (run.state !== 'done' || !run.result) return null;
  // Runs of `ledger audit` have this result.
  const { holds, checks, findings, events, streams, seconds } = run.result as Report;
  const wrong = checks.reduce((sum, each) => sum + each.wrong, 0);
  return (
    <>
      <div className={holds ? 'answer' : 'answer bad'}>
        <strong>
          {holds ? 'All holds' : `${count(wrong)} ${wrong === 1 ? 'thing is' : 'things are'} wrong`} in{' '}
          {count(events)} events of {count(streams)} streams, read in {seconds} s.
        </strong>
      </div>
      {findings.length > 0 && (
        <Table
          label="Findings"
          rows={findings.map((finding, place) => ({ ...finding, place }))}
          keyOf={({ place }) => String(place)}
          empty=""
          columns={[
            { head: 'check', cell: ({ check }) => check },
            { head: 'what', cell: ({ message }) => message },
            {
              head: 'where',
              cell: ({ stream, table, key }) => <span className="id">{stream ?? `${table} ${key}`}</span>,
            },
            {
              head: 'detail',
              cell: ({ place: _place, ...finding }) => (
                <JsonDetails of={finding} label="expected and found" />
              ),
            },
          ]}
        />
      )}
      <Table
        label="Checks"
        rows={checks}
        keyOf={({ check }) => check}
        empty=""
        columns={[
          { head: 'invariant', number: true, cell: ({ invariant }) => invariant },
          { head: 'what must hold', cell: ({ title }) => title },
          {
            head: 'checked',
            number: true,
            cell: ({ done: was, checked }) => (was ? count(checked) : 'not now'),
          },
          {
            head: 'wrong',
            number: true,
            cell: ({ wrong: bad }) => <span className={bad > 0 ? 'bad' : undefined}>{count(bad)}</span>,
          },
        ]}
      />
    </>
  );
}
