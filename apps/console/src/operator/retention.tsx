import { count, many } from '../shared/format.js';
import { Action, Loaded, numberOf, Section, Table, TextField } from '../shared/ui.js';
import { api, change, client, type Schemas } from './api.js';
import type { AccountParts } from './environment.js';

type Rule = Schemas['RetentionShowResult'];

const kinds = [
  ['uploads', 'Uploaded pictures'],
  ['intermediates', 'Pictures on the way to a result'],
  ['finals', 'Finished pictures'],
  ['words', 'Words of jobs and products'],
] as const;

export function Retention({ tenant, env }: AccountParts) {
  const params = { path: { tenant }, query: { env } };
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}/retention', { params });
  return (
    <Section
      title="Retention"
      lead="For how many days things are kept before they are erased."
      actions={query.data && <ChangeRetention tenant={tenant} env={env} rule={query.data} />}
    >
      <Loaded query={query} lines={4}>
        {(rule) => (
          <Table
            label="Retention"
            rows={kinds.map(([kind, words]) => ({ words, ...rule[kind] }))}
            keyOf={({ words }) => words}
            empty=""
            columns={[
              { head: 'what', cell: ({ words }) => words },
              { head: 'kept for', cell: ({ days }) => (days === null ? 'no limit' : many(days, 'day')) },
              { head: 'the tenant’s own', number: true, cell: ({ own }) => daysOf(own) },
              { head: 'default', number: true, cell: (each) => daysOf(each.default) },
              { head: 'maximum', number: true, cell: ({ maximum }) => daysOf(maximum) },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

const daysOf = (days: number | null) => (days === null ? '–' : count(days));

/** A field that is emptied follows the default again. */
function ChangeRetention({ tenant, env, rule }: AccountParts & { rule: Rule }) {
  const set = async (form: FormData) => {
    const sent = kinds.map(([kind]) => [kind, numberOf(form, kind)] as const);
    const clear = sent.filter(([, days]) => days === undefined).map(([kind]) => kind);
    const body = { env, ...Object.fromEntries(sent), clear };
    await change(
      client.PATCH('/admin/v1/tenants/{tenant}/retention', { params: { path: { tenant } }, body }),
    );
    return 'The retention is changed.';
  };
  return (
    <Action
      label="Change…"
      title={`Change the retention in ${env}`}
      confirm="Change it"
      danger
      small
      act={set}
    >
      <p>
        The days after which each is erased. This applies to what is there:{' '}
        <strong>what is older is erased within minutes</strong>, and cannot be brought back. Things under a
        legal hold stay.
      </p>
      <div className="columns">
        {kinds.map(([kind, words]) => (
          <TextField
            key={kind}
            label={words}
            name={kind}
            type="number"
            min={1}
            initial={String(rule[kind].own ?? '')}
            hint={hintOf(rule[kind])}
          />
        ))}
      </div>
    </Action>
  );
}

function hintOf({ default: usual, maximum }: Rule[keyof Rule]): string {
  const empty = `Empty: ${usual === null ? 'without limit' : `the default, ${many(usual, 'day')}`}.`;
  return maximum === null ? empty : `${empty} At most ${many(maximum, 'day')}.`;
}
