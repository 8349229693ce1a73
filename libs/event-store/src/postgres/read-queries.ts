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
import { query, type Statement } from './connection.js';
import { quoteSchema } from './schema.js';

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

/** All reads of one schema. Each read gets its connection and its time limit as arguments. */
export class ReadQueries {
  private readonly events: string;
  private readonly headTable: string;
  private readonly identityTable: string;

  constructor(private readonly schema: string) {
    this.events = `${quoteSchema(schema)}.events`;
    this.headTable = `${quoteSchema(schema)}.head`;
    this.identityTable = `${quoteSchema(schema)}.identity`;
  }

  async stream(
    client: pg.ClientBase,
    stream: string,
    options: ReadStreamOptions,
    timeoutMs: number,
  ): Promise<StreamSlice> {
    const backwards = options.direction === 'backwards';
    const from = options.from ?? (backwards ? lastRevision : 0n);
    const statement = this.named(
      backwards ? 'read-backwards' : 'read-forwards',
      `select ${columns} from ${this.events} e where e.stream = $1 and e.revision ${backwards ? '<=' : '>='} $2
        order by e.revision ${backwards ? 'desc' : 'asc'} limit $3`,
    );
    const values = [stream, from, pageSize(options.limit)];
    const rows = await query<EventRow>(client, statement, values, timeoutMs);
    if (rows.length > 0) return { kind: 'found', events: rows.map(toEvent) };
    const exists = this.named('exists', `select from ${this.events} where stream = $1 limit 1`);
    const found = await query(client, exists, [stream], timeoutMs);
    return found.length > 0 ? { kind: 'found', events: [] } : { kind: 'stream-not-found' };
  }

  async all(client: pg.ClientBase, options: ReadAllOptions, timeoutMs: number): Promise<RecordedEvent[]> {
    const filter = filterSql(options.filter, 3);
    const statement = this.named(
      `all${filter.name}`,
      `select ${columns} from ${this.events} e where e.position > $1${filter.sql} order by e.position limit $2`,
    );
    const values = [options.after ?? 0n, pageSize(options.limit), ...filter.values];
    return (await query<EventRow>(client, statement, values, timeoutMs)).map(toEvent);
  }

  async head(client: pg.ClientBase, timeoutMs: number): Promise<bigint> {
    const statement = this.named('head', `select position from ${this.headTable}`);
    const rows = await query<{ position: bigint }>(client, statement, [], timeoutMs);
    return onlyRow({ rows }).position;
  }

  async last(client: pg.ClientBase, through: bigint, timeoutMs: number): Promise<RecordedEvent | undefined> {
    const statement = this.named(
      'last',
      `select ${columns} from ${this.events} e where e.position <= $1 order by e.position desc limit 1`,
    );
    const [row] = await query<EventRow>(client, statement, [through], timeoutMs);
    return row && toEvent(row);
  }

  async identity(client: pg.ClientBase, timeoutMs: number): Promise<string> {
    const statement = this.named('identity', `select id from ${this.identityTable}`);
    return onlyRow({ rows: await query<{ id: string }>(client, statement, [], timeoutMs) }).id;
  }

  /**
   * The next page of a subscription. The head is read in the same snapshot as the events. A snapshot holds the
   * log up to its head without gaps. So no event can appear later at a position that this page has passed.
   */
  async page(
    client: pg.ClientBase,
    after: bigint,
    limit: number,
    filter: EventFilter | undefined,
    timeoutMs: number,
  ): Promise<LogPage> {
    const passing = filterSql(filter, 5);
    // The head comes as its own row, in the column of the revision, at position 0, which no event has. Joining
    // it to each event costs a fifth more. A sort by PostgreSQL also costs a fifth more. PostgreSQL returns the
    // rows in order without it, but does not promise that, so the rows are sorted here.
    const statement = this.named(
      `page${passing.name}`,
      `select 0::bigint as position, null as stream, position as revision, null::uuid as id, null as type,
           null::json as data, null::json as metadata, null::boolean as "endsPage" from ${this.headTable}
       union all (
         select position, stream, revision, id, type, data, metadata, bytes >= $4 from (
           select ${columns}, pg_column_size(e.data) + pg_column_size(e.metadata) as own_bytes,
             sum(pg_column_size(e.data) + pg_column_size(e.metadata)) over (order by e.position rows unbounded preceding) as bytes
           from ${this.events} e
           where e.position > $1 and e.position <= least((select position from ${this.headTable}), $2)${passing.sql}
           order by e.position limit $3
         ) e where bytes - own_bytes < $4
       )`,
    );
    const end = after + maxPageSpan;
    const values = [after, end, limit, maxPageBytes, ...passing.values];
    type PageRow = EventRow & { readonly endsPage: boolean };
    const rows = await query<PageRow>(client, statement, values, timeoutMs);
    rows.sort((one, other) => (one.position < other.position ? -1 : 1));
    const { revision: head } = onlyRow({ rows });
    rows.shift();
    const last = rows.at(-1);
    const isFull = last !== undefined && (rows.length === limit || last.endsPage);
    const position = isFull ? last.position : head < end ? head : end;
    return { events: rows.map(toEvent), position, caughtUp: position >= head, head };
  }

  private named(name: string, text: string): Statement {
    return { name: `${this.schema}.${name}`, text };
  }
}

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
