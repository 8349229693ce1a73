import type pg from 'pg';

/** Every table of the database whose rows hold the text. */
export async function tablesWith(sql: pg.Pool, text: string): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const holds = `select 1 from ${name} as row where position($1 in row::text) > 0 limit 1`;
    if ((await sql.query(holds, [text])).rows.length > 0) found.push(name);
  }
  return found;
}
