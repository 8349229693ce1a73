/*
 * The possible actions of a person who has the password of the database and nothing else: not the seal key, not
 * ATELIER_SIGNING_KEY, not the storage of pictures. Each action changes the tables of PostgreSQL, as their
 * owner.
 */

export interface Attack {
  /** The heading in docs/seals.md that lists it. */
  readonly on: string;
  readonly attack: string;
  /** SQL on a copy of an installation at rest, before the service goes on. */
  readonly sql: string;
  /** Before the attack, the database is replaced by one of an earlier time. */
  readonly from?: 'older';
  /** The parts of the service that must find it. Empty: none finds it. */
  readonly by: readonly string[];
  /** Why nothing finds it, or why that is not needed. */
  readonly because?: string;
}

/** Leaves no trace in the catalogue: triggers are off for one transaction. */
const quietly = (sql: string) => `begin; set local session_replication_role = replica; ${sql}; commit`;
const events = 'event_store.events';
const account = `stream = 'live.account-acme'`;
const purchase = `${account} and type = 'CreditsPurchased'`;
const unseal = (from = 0) => `delete from ${events} where stream = 'atelier.seals' and revision >= ${from}`;
const moreCredits = `update ${events} set data = replace(data::text, '"amount":100', '"amount":1100')::json where ${purchase}`;
const moreInLedger = `update live.ledger_g1 set amount = 1100, credits_delta = 1100 where tenant = 'acme' and kind = 'pack'`;

/** Appends through the store's function, as the service does. */
const append = (stream: string, type: string, data: string, tenant = 'acme') => `
  select event_store.append_batch(array['${stream}'], array[-2::bigint], array[1], array[1], array[1], array['${stream}'],
    array[gen_random_uuid()], array['${type}'], array['${data}'::json],
    array['{"requestId":"r","causationId":"c","tenant":"${tenant}","actor":"operator","schemaVersion":1,"recordedAt":"2026-06-01T12:10:00.000Z"}'::json])`;
const time = `"at":"2026-06-01T12:10:00.000Z"`;

const trigger = (table: string, body: string, when = 'before insert') => `
  create function ${table.split('.')[0]}.meant_well() returns trigger language plpgsql as $$ begin ${body} return new; end $$;
  create trigger meant_well ${when} on ${table} for each row execute function ${table.split('.')[0]}.meant_well()`;

type Row = readonly [attack: string, sql: string, by: readonly string[], because?: string];

const group = (on: string, rows: readonly Row[]): Attack[] =>
  rows.map(([attack, sql, by, because]) => ({
    on,
    attack,
    sql,
    by,
    ...(because !== undefined && { because }),
  }));

const history = group('Events', [
  ['change the amount of a purchase', moreCredits, ['audit: seals', 'audit: ledger']],
  ['change it together with the rows that show it', `${moreCredits}; ${moreInLedger}`, ['audit: seals']],
  [
    'change who did it',
    `update ${events} set metadata = replace(metadata::text, '"operator"', '"key:x"')::json where ${purchase}`,
    ['audit: seals'],
  ],
  [
    'change when it was',
    `update ${events} set data = replace(data::text, '2026-06-01', '2026-05-01')::json where ${purchase}`,
    ['audit: seals'],
  ],
  [
    'change the hash of an API key to one of your own',
    `update ${events} set data = replace(data::text, 'abab', 'baba')::json where type = 'ApiKeyIssued'`,
    ['audit: seals'],
  ],
  [
    'delete the revocation of a key',
    `delete from ${events} where type = 'ApiKeyRevoked' and stream like 'live.%'`,
    ['audit: seals', 'audit: keys'],
  ],
  [
    'delete an event in the middle',
    `delete from ${events} where stream = 'live.job-job1-live' and revision = 2`,
    ['audit: seals', 'audit: revisions'],
  ],
  [
    'delete a whole stream',
    `delete from ${events} where stream = 'live.job-job1-live'`,
    ['audit: seals', 'audit: jobs'],
  ],
  [
    'delete the last events, with the seal over them',
    `delete from ${events} where position > (select max(position) - 20 from ${events})`,
    ['sealer', 'audit: seal-chain'],
  ],
  [
    'insert an event between two others',
    `update ${events} set position = position + 1000 where position > 5; insert into ${events} select 6, 99, gen_random_uuid(), stream, type, data, metadata from ${events} where ${purchase}`,
    ['audit: seals', 'audit: revisions'],
  ],
  [
    'swap two events',
    `update ${events} set position = -position where position in (5, 6); update ${events} set position = 11 + position where position < 0`,
    ['audit: seals'],
  ],
  [
    'give an event another id',
    `update ${events} set id = gen_random_uuid() where ${purchase}`,
    ['audit: seals'],
  ],
  [
    'give an event another type',
    `update ${events} set type = 'CreditsRefunded' where ${purchase}`,
    ['audit: seals'],
  ],
  [
    'move an event into the stream of another tenant',
    `update ${events} set stream = 'live.account-bold', revision = 99 where ${purchase}`,
    ['audit: seals', 'audit: tenants'],
  ],
  [
    'empty the log',
    `truncate ${events}; update event_store.head set position = 0`,
    ['sealer', 'audit: seal-chain'],
  ],
]).map((each) => ({ ...each, sql: quietly(each.sql) }));

const seals = group('Seals', [
  [
    'change an event with its rows, and delete the seals from there on',
    `${moreCredits}; ${moreInLedger}; ${unseal(0)}`,
    ['sealer', 'audit: seal-chain'],
  ],
  [
    'change one of the last events, and delete the last seal alone',
    `update ${events} set metadata = replace(metadata::text, '"operator"', '"key:x"')::json where stream like 'test.product%'; delete from ${events} where position = (select max(position) from ${events} where stream = 'atelier.seals')`,
    ['sealer', 'audit: seal-chain'],
  ],
  [
    'the same, and empty the read models so that they are folded again',
    `${moreCredits}; ${unseal(0)}; truncate live.ledger_g1; update read_store.projections set position = null, event_position = null, event_id = null where name = 'ledger' and environment = 'live'`,
    ['sealer', 'audit: seal-chain'],
  ],
  ['delete all seals, and nothing else', unseal(0), ['sealer', 'audit: seal-chain']],
  [
    'delete a seal in the middle',
    `delete from ${events} where stream = 'atelier.seals' and revision = 1`,
    ['audit: seal-chain'],
  ],
  [
    'change a seal',
    `update ${events} set data = replace(data::text, '"count":16', '"count":15')::json where stream = 'atelier.seals' and revision = 1`,
    ['audit: seal-chain'],
  ],
  [
    'sign a seal with a key of your own',
    `update ${events} set data = jsonb_set(data::jsonb, '{key}', '"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"')::json where stream = 'atelier.seals' and revision = (select max(revision) from ${events} where stream = 'atelier.seals')`,
    ['sealer', 'audit: seal-chain'],
  ],
  [
    'delete the seals, and claim that the log is a copy of one that was sealed',
    `create temp table last on commit drop as select * from ${events} where stream = 'atelier.seals' order by revision desc limit 1; ${unseal(0)}; insert into ${events} select position, 0, gen_random_uuid(), stream, 'SourceSealed', (data::jsonb - 'leaves')::json, metadata from last; ${moreCredits}; ${moreInLedger}`,
    ['sealer', 'audit: seals'],
  ],
]).map((each) => ({ ...each, sql: quietly(each.sql) }));

seals.push({
  on: 'Seals',
  attack: 'put the whole database back to an earlier time',
  sql: 'select 1',
  from: 'older',
  by: ['sealer', 'audit: seal-chain'],
});

/** Only its missing proof distinguishes such an event from one of the service. */
const byProof = ['sealer', 'audit: writers'];
const appends = group('Events that are appended through the function of the store', [
  [
    'a purchase of a million',
    append(
      'live.account-acme',
      'CreditsPurchased',
      `{"purchaseId":"p9","kind":"pack","amount":1000000,"label":"x",${time}}`,
    ),
    byProof,
  ],
  [
    'a price of 1',
    append(
      'live.operation-look',
      'OperationPriced',
      `{"operation":"look","credits":1,"reason":"x",${time}}`,
      'installation',
    ),
    byProof,
  ],
  [
    'an operator who is admin',
    append(
      'live.operator-me',
      'OperatorAdded',
      `{"name":"me","role":"admin","tokenHash":"${'ab'.repeat(32)}",${time}}`,
      'installation',
    ),
    byProof,
  ],
  [
    'an API key of another tenant',
    append(
      'live.key-mine',
      'ApiKeyIssued',
      `{"keyId":"mine","tenant":"acme","environment":"live","capabilities":["jobs:create"],"label":"","secretHash":"${'cd'.repeat(32)}",${time}}`,
    ),
    byProof,
  ],
  [
    'a refund',
    append(
      'live.account-acme',
      'CreditsRefunded',
      `{"chargeId":"r-job1-live","jobId":"job1-live","amount":5,"reason":"job-failed",${time}}`,
    ),
    [...byProof, 'audit: charges'],
  ],
  [
    'the end of the daily cap',
    append(
      'live.account-bold',
      'PlanChanged',
      `{"plan":"standard","dailySpendCapCredits":0,"monthlyCreditQuota":0,"rateLimitPerMin":60,${time}}`,
      'bold',
    ),
    byProof,
  ],
  [
    'an upload that is the picture of another tenant',
    append(
      'live.asset-mine',
      'AssetStored',
      `{"assetId":"mine","tenant":"bold","storageKey":"acme/asset-live.png","contentType":"image/png","width":10,"height":20,"sizeBytes":300,"sha256":"cd","origin":"upload","jobId":null,${time}}`,
      'bold',
    ),
    byProof,
  ],
]);

const made = group(
  'What the database is made of',
  [
    ['drop the trigger that keeps events from being changed', `drop trigger append_only on ${events}`],
    ['disable it', `alter table ${events} disable trigger append_only`],
    [
      'empty the function that it calls',
      `create or replace function event_store.refuse_change() returns trigger language plpgsql as $$ begin return null; end $$`,
    ],
    [
      'take the check of revisions out of the function that appends',
      `do $$ begin execute replace(pg_get_functiondef('event_store.append_batch'::regproc), 'where accepted[f.append]', ''); end $$`,
    ],
    [
      'let that function run with the rights of its owner',
      `alter function event_store.append_batch security definer`,
    ],
    [
      'add a second function of its name, which is chosen',
      `create function event_store.append_batch(text, text) returns void language sql as ''`,
    ],
    [
      'change what is inserted, by a trigger',
      trigger(
        events,
        `if new.type = 'CreditsPurchased' then new.data = replace(new.data::text, '"amount":', '"amount":1')::json; end if;`,
      ),
    ],
    [
      'write down each change elsewhere, by a rule',
      `create table public.mine (like ${events}); create rule mine as on insert to ${events} do also insert into public.mine select new.*`,
    ],
    [
      'drop the constraint that makes revisions unique',
      `alter table ${events} drop constraint events_stream_revision`,
    ],
    ['drop the constraint that makes ids unique', `alter table ${events} drop constraint events_id`],
    [
      'let revocations fail, by a constraint',
      `alter table ${events} add constraint mine check (type <> 'ApiKeyRevoked') not valid`,
    ],
    ['let events be lost in a crash', `alter table ${events} set unlogged`],
    ['let other roles write events', `grant insert, update on ${events} to public`],
    ['let other roles write one column', `grant update (data) on ${events} to public`],
    ['let other roles make tables', `grant create on schema event_store to public`],
    [
      'give the table of events to another role',
      `do $$ begin create role attacker; exception when duplicate_object then null; end $$; alter table ${events} owner to attacker`,
    ],
    [
      'turn triggers off for everybody',
      `do $$ begin execute format('alter database %I set session_replication_role = replica', current_database()); end $$`,
    ],
    [
      'run something at each login',
      `create function public.at_login() returns event_trigger language plpgsql as $$ begin end $$; create event trigger mine on login execute function public.at_login()`,
    ],
    [
      'put a function in the place of one of PostgreSQL',
      `create function public.date_trunc(text, timestamptz) returns timestamptz language sql as 'select now()'`,
    ],
    [
      'put an operator in the place of one of PostgreSQL',
      `create function public.never(text, text) returns boolean language sql as 'select false'; create operator public.= (leftarg = text, rightarg = text, function = public.never)`,
    ],
    [
      'let a projector go on that was fenced off',
      `create or replace function read_store.require(condition boolean, complaint text) returns void language plpgsql as $$ begin end $$`,
    ],
    ['change tasks on their way into the queue', trigger('pgboss.job_common', `new.data = '{}';`)],
    [
      'hide rows by row security',
      `alter table live.ledger_g1 enable row level security; create policy mine on live.ledger_g1 using (credits_delta < 0)`,
    ],
    [
      'give a table an heir, whose rows are read with its own',
      `create table public.heir () inherits (live.presets_g1)`,
    ],
    ['give a column a default', `alter table live.webhook_deliveries alter column body set default 'x'`],
    [
      'drop the check of a status',
      `alter table live.idempotency_keys drop constraint idempotency_keys_status_check`,
    ],
  ].map(([attack, sql]): Row => [attack as string, sql as string, ['audit: database']]),
);

const shown = group('What callers are shown', [
  [
    'forge the view of the ledger with a row more',
    `create or replace view test.ledger as select * from test.ledger_g1 union all select * from live.ledger_g1`,
    ['audit: database', 'audit: ledger'],
  ],
  [
    'forge a column of the view',
    `do $$ declare list text; begin select string_agg(case attname when 'credits_delta' then 'credits_delta * 2 as credits_delta' else attname end, ', ' order by attnum) into list from pg_attribute where attrelid = 'test.ledger_g1'::regclass and attnum > 0; execute 'create or replace view test.ledger as select ' || list || ' from test.ledger_g1'; end $$`,
    ['audit: database', 'audit: ledger'],
  ],
  [
    'hide rows by a condition of the view',
    `create or replace view live.jobs as select * from live.jobs_g1 where status <> 'FAILURE'`,
    ['audit: database', 'audit: jobs'],
  ],
  [
    'let the view show another table',
    `create table live.presets_g9 (like live.presets_g1 including all); create or replace view live.presets as select * from live.presets_g9`,
    ['audit: database', 'audit: presets'],
  ],
  [
    'put a table in the place of a view',
    `drop view live.ledger; create table live.ledger as select * from live.ledger_g1`,
    ['audit: database'],
  ],
  [
    'change a row',
    `update live.ledger_g1 set credits_delta = 1 where id = 'r-job1-live'`,
    ['audit: ledger', 'audit: ledger-sums'],
  ],
  ['delete rows', `delete from live.usage_g1`, ['audit: usage']],
  [
    'insert a row',
    `insert into live.ledger_g1 select (jsonb_populate_record(l, '{"id":"x"}')).* from live.ledger_g1 l limit 1`,
    ['audit: ledger'],
  ],
  ['make a revoked key valid again', `update live.keys_g1 set revoked_at = null`, ['audit: keys']],
  [
    'change what is inserted into a read model, by a trigger',
    trigger('live.ledger_g1', `new.credits_delta = 1;`),
    ['audit: database'],
  ],
  ['drop a table', `drop table live.ledger_g1 cascade`, ['audit: ends with an error']],
  ['drop a column', `alter table live.usage_g1 drop column latency_ms cascade`, ['audit: database']],
]);

const beside = group('What stands beside', [
  [
    'move a checkpoint ahead',
    `update read_store.projections set position = position + 5 where name = 'jobs'`,
    [],
    'a projector goes on behind the event that the checkpoint names, and puts the position right',
  ],
  [
    'move a checkpoint back',
    `update read_store.projections set position = 3, event_position = 3 where name = 'jobs' and environment = 'live'`,
    ['audit: read-models-live', 'audit: checkpoints'],
  ],
  [
    'let a checkpoint name another event',
    `update read_store.projections set event_id = gen_random_uuid() where name = 'jobs'`,
    ['audit: read-models-live', 'audit: checkpoints'],
  ],
  [
    'halt a read model',
    `update read_store.projections set state = 'halted', halted_because = 'x' where name = 'jobs'`,
    [],
    'a projector takes it up again when it starts, and doctor names it until then',
  ],
  [
    'change what the projector knows of a stream',
    `update read_store.stream_revisions set revision = revision + 1 where stream = 'live.account-acme'`,
    ['audit: stream-revisions'],
  ],
  [
    'park a stream',
    `insert into read_store.parked_events (environment, name, generation, stream, revision, position, event_id, event_type, error) values ('live', 'jobs', 1, 'live.job-job1-live', 2, 9, gen_random_uuid(), 'StageCompleted', 'x')`,
    ['audit: read-models-live'],
  ],
  [
    'change the answer that is kept under an Idempotency-Key',
    `update live.idempotency_keys set response_body = replace(response_body::text, 'job1', 'job9')::json`,
    ['audit: answered'],
  ],
  [
    'delete the answers that are kept',
    `delete from live.idempotency_keys`,
    [],
    'they are kept for a day and for repeats alone: a repeat is a request of its own then, and charged',
  ],
  [
    'clear the rate limits',
    `delete from read_store.rate_limits`,
    [],
    'they hold a minute: the attacker gets one more, and a table of counters proves nothing',
  ],
  [
    'delete tasks from the queue',
    `delete from pgboss.job`,
    [],
    'the queue is a cache of the log: the projector makes the tasks of unfinished jobs again within half a minute',
  ],
  [
    'set the head of the log ahead',
    `update event_store.head set position = position + 100`,
    [],
    'positions may have gaps: nothing is lost, altered or shown otherwise',
  ],
  [
    'set the head of the log back',
    `update event_store.head set position = 3`,
    ['audit: seals', 'audit: stream-revisions'],
  ],
  [
    'delete the snapshots',
    `truncate event_store.snapshots`,
    [],
    'they are a shortcut: the next load folds the events, and makes them again',
  ],
  [
    'read everything',
    `select count(*) from ${events}`,
    [],
    'reading leaves no trace: what must stay secret is not in the database',
  ],
]);

export const attacks: readonly Attack[] = [...history, ...seals, ...appends, ...made, ...shown, ...beside];
