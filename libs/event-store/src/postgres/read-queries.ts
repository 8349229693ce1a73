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

/** A page of a subscription ends at this many bytes, and always holds at least one event. */
const maxPageBytes = 8 * 1024 * 1024;
/** How many positions one page of a subscription looks through: bounds a query whose filter lets little pass. */
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

/** All reads of one schema. Each takes the connection to run on and how long the answer may take. */
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
   * The next page of a subscription. The head is read in the same snapshot as the events, and a snapshot always holds
   * the log up to its head without gaps, so a position that this page passes can never be filled later.
   */
  async page(
    client: pg.ClientBase,
    after: bigint,
    limit: number,
    filter: EventFilter | undefined,
    timeoutMs: number,
  ): Promise<LogPage> {
    const passing = filterSql(filter, 5);
    const statement = this.named(
      `page${passing.name}`,
      `select h.position as head, p.* from ${this.headTable} h left join lateral (
         select * from (
           select ${columns}, sum(pg_column_size(e.data) + pg_column_size(e.metadata)) over (order by e.position rows unbounded preceding) as bytes,
             pg_column_size(e.data) + pg_column_size(e.metadata) as own_bytes
           from ${this.events} e
           where e.position > $1 and e.position <= least(h.position, $2)${passing.sql}
           order by e.position limit $3
         ) e where e.bytes - e.own_bytes < $4
       ) p on true order by p.position`,
    );
    const end = after + maxPageSpan;
    const values = [after, end, limit, maxPageBytes, ...passing.values];
    const rows = await query<EventRow & { head: bigint; bytes: bigint }>(
      client,
      statement,
      values,
      timeoutMs,
    );
    const first = onlyRow({ rows });
    const { head } = first;
    // The left join gives one row without an event when nothing passed.
    const events = first.position === null ? [] : rows.map(toEvent);
    const last = events.at(-1);
    const bytes = rows.at(-1)?.bytes ?? 0n;
    const isFull = last !== undefined && (events.length === limit || bytes >= maxPageBytes);
    const position = isFull ? last.position : head < end ? head : end;
    return { events, position, caughtUp: position >= head, head };
  }

  private named(name: string, text: string): Statement {
    return { name: `${this.schema}.${name}`, text };
  }
}

/** `^@` is "starts with": unlike `like` it has no special characters that a stream name could hold. */
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
