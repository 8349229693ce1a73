import type pg from 'pg';
import type {
  EventFilter,
  EventMetadata,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  StreamSlice,
} from '../event-store.js';
import { onlyRow } from '#platform/postgres.js';
import { lastRevision, pageSize } from '../calls.js';
import type { Query, Statement } from './connection.js';
import { schemaInSql } from './schema.js';

/** A page of a subscription ends at this many bytes, but holds at least one event. */
const maxPageBytes = 8 * 1024 * 1024;
/**
 * How many positions one page of a subscription covers. It limits a query whose filter lets few events pass.
 */
const maxPageSpan = 50_000n;

interface EventRow extends pg.QueryResultRow {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

export interface LogPage {
  readonly events: RecordedEvent[];
  readonly position: bigint;
  readonly caughtUp: boolean;
  /** The log's last position when the page was read; 0 for an empty log. */
  readonly head: bigint;
}

const columns = 'e.position, e.stream, e.revision, e.id, e.type, e.data, e.metadata';

const eventsTable = `${schemaInSql}.events`;
const headTable = `${schemaInSql}.head`;

export async function readStream(
  query: Query,
  stream: string,
  options: ReadStreamOptions,
): Promise<StreamSlice> {
  const backwards = options.direction === 'backwards';
  const from = options.from ?? (backwards ? lastRevision : 0n);
  const statement = named(
    backwards ? 'read-backwards' : 'read-forwards',
    `select ${columns} from ${eventsTable} e where e.stream = $1 and e.revision ${backwards ? '<=' : '>='} $2
        order by e.revision ${backwards ? 'desc' : 'asc'} limit $3`,
  );
  const rows = await query<EventRow>(statement, [stream, from, pageSize(options.limit)]);
  if (rows.length > 0) return { kind: 'found', events: rows.map(toEvent) };
  const exists = named('exists', `select from ${eventsTable} where stream = $1 limit 1`);
  const found = await query(exists, [stream]);
  return found.length > 0 ? { kind: 'found', events: [] } : { kind: 'stream-not-found' };
}

export async function readAll(query: Query, options: ReadAllOptions): Promise<RecordedEvent[]> {
  const filter = filterSql(options.filter, 3);
  const statement = named(
    `all${filter.name}`,
    `select ${columns} from ${eventsTable} e where e.position > $1${filter.sql} order by e.position limit $2`,
  );
  const values = [options.after ?? 0n, pageSize(options.limit), ...filter.values];
  return (await query<EventRow>(statement, values)).map(toEvent);
}

/** 0 for an empty log. */
export async function readHead(query: Query): Promise<bigint> {
  const statement = named('head', `select position from ${headTable}`);
  return onlyRow({ rows: await query<{ position: bigint }>(statement, []) }).position;
}

export async function readLast(query: Query, through: bigint): Promise<RecordedEvent | undefined> {
  const statement = named(
    'last',
    `select ${columns} from ${eventsTable} e where e.position <= $1 order by e.position desc limit 1`,
  );
  const [row] = await query<EventRow>(statement, [through]);
  return row && toEvent(row);
}

export async function readIdentity(query: Query): Promise<string> {
  const statement = named('identity', `select id from ${schemaInSql}.identity`);
  return onlyRow({ rows: await query<{ id: string }>(statement, []) }).id;
}

/**
 * The next page of a subscription. The head is read in the same snapshot as the events. A snapshot holds the
 * log up to its head without gaps. So no event can appear later at a position that this page has passed.
 */
export async function readPage(
  query: Query,
  after: bigint,
  limit: number,
  filter: EventFilter | undefined,
): Promise<LogPage> {
  const passing = filterSql(filter, 5);
  // The head comes as its own row, in the column of the revision, at position 0, which no event has. Joining
  // it to each event costs a fifth more. A sort by PostgreSQL also costs a fifth more. PostgreSQL returns the
  // rows in order without it, but does not promise that, so the rows are sorted here.
  const statement = named(
    `page${passing.name}`,
    `select 0::bigint as position, null as stream, position as revision, null::uuid as id, null as type,
         null::json as data, null::json as metadata, null::boolean as "endsPage" from ${headTable}
     union all (
       select position, stream, revision, id, type, data, metadata, bytes >= $4 from (
         select ${columns}, pg_column_size(e.data) + pg_column_size(e.metadata) as own_bytes,
           sum(pg_column_size(e.data) + pg_column_size(e.metadata)) over (order by e.position rows unbounded preceding) as bytes
         from ${eventsTable} e
         where e.position > $1 and e.position <= least((select position from ${headTable}), $2)${passing.sql}
         order by e.position limit $3
       ) e where bytes - own_bytes < $4
     )`,
  );
  const end = after + maxPageSpan;
  const values = [after, end, limit, maxPageBytes, ...passing.values];
  type PageRow = EventRow & { readonly endsPage: boolean };
  const rows = await query<PageRow>(statement, values);
  rows.sort((one, other) => (one.position < other.position ? -1 : 1));
  const { revision: head } = onlyRow({ rows });
  rows.shift();
  const last = rows.at(-1);
  const isFull = last !== undefined && (rows.length === limit || last.endsPage);
  const position = isFull ? last.position : head < end ? head : end;
  return { events: rows.map(toEvent), position, caughtUp: position >= head, head };
}

const named = (name: string, text: string): Statement => ({ name: `event_store.${name}`, text });

/** `^@` means "starts with". Unlike `like` it has no special characters, which a stream name could hold. */
function filterSql(filter: EventFilter | undefined, firstParameter: number) {
  const values: (readonly string[])[] = [];
  let sql = '';
  let name = '';
  if (filter?.types) {
    sql += ` and e.type = any($${firstParameter + values.push(filter.types) - 1}::text[])`;
    name += '-types';
  }
  if (filter?.streamPrefixes) {
    sql += ` and e.stream ^@ any($${firstParameter + values.push(filter.streamPrefixes) - 1}::text[])`;
    name += '-prefixes';
  }
  return { sql, name, values };
}

function toEvent({ position, stream, revision, id, type, data, metadata }: EventRow): RecordedEvent {
  return { id, type, data, metadata, stream, revision, position };
}
