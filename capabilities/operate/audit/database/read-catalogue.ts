import type pg from 'pg';
import { withConnection } from '#platform/postgres.js';

/** One object of a schema in PostgreSQL. Its name is unique within schema and kind. */
export interface CatalogueFact {
  /** Empty: of the whole database. */
  readonly schema: string;
  readonly kind:
    | 'table'
    | 'view'
    | 'column'
    | 'constraint'
    | 'index'
    | 'trigger'
    | 'rule'
    | 'policy'
    | 'function'
    | 'type'
    | 'operator'
    | 'cast'
    | 'grant'
    | 'owner'
    | 'setting';
  readonly name: string;
  /** Its relevant definition, in the same text on every PostgreSQL from 15 on. */
  readonly definition: string;
}

/** Privileges by which a role other than the owner changes what is stored or who may change it. */
const writing = `('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES', 'MAINTAIN', 'CREATE')`;

const grantee = `case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee) end`;

/**
 * All objects that affect the results of reads from these schemas and of writes to them. Left out: objects that only
 * affect speed (other indexes, storage options), privileges to read, and the constraints that PostgreSQL 18 makes of
 * `not null`.
 */
const facts = `
with own as (select oid, nspname, nspowner, nspacl from pg_namespace where nspname = any($1)),
relations as (select c.*, n.nspname, n.nspowner from pg_class c join own n on n.oid = c.relnamespace)
select nspname::text as schema, 'table' as kind, relname::text as name, concat_ws(', ',
    case relkind when 'r' then 'table' when 'p' then 'partitioned table' else relkind::text end,
    case relpersistence when 'u' then 'unlogged' end,
    case when relrowsecurity or relforcerowsecurity then 'row security' end,
    case when relkind = 'r' and exists (select from pg_inherits where inhparent = r.oid) then 'with heirs' end) as definition
  from relations r where relkind in ('r', 'p', 'm', 'f')
union all select nspname, 'view', relname, concat_ws(' ', pg_get_viewdef(oid), 'with ' || reloptions::text)
  from relations where relkind = 'v'
union all select nspname, 'column', relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod),
    case when attcollation <> t.typcollation then 'collate ' || (select collname from pg_collation where oid = attcollation) end,
    case when attnotnull then 'not null' end,
    case attgenerated when '' then 'default ' else 'generated ' end || pg_get_expr(d.adbin, d.adrelid),
    case attidentity when '' then null else 'identity' end)
  from relations r join pg_attribute a on a.attrelid = r.oid and attnum > 0 and not attisdropped
  join pg_type t on t.oid = atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = attnum where relkind in ('r', 'p')
union all select nspname, 'constraint', relname || '.' || conname,
    pg_get_constraintdef(o.oid) || case when i.indisvalid is false then ' invalid' else '' end
  from relations r join pg_constraint o on o.conrelid = r.oid left join pg_index i on i.indexrelid = conindid
    and contype in ('p', 'u', 'x') where contype <> 'n'
union all select nspname, 'index', relname || '.' || i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
  from relations r join pg_index i on i.indrelid = r.oid
  where indisunique and not exists (select from pg_constraint where conindid = i.indexrelid)
union all select nspname, 'trigger', relname || '.' || tgname, pg_get_triggerdef(t.oid)
    || case tgenabled when 'O' then '' when 'D' then ' disabled' else ' enabled ' || tgenabled::text end
  from relations r join pg_trigger t on t.tgrelid = r.oid where not tgisinternal or tgenabled <> 'O'
union all select nspname, 'rule', relname || '.' || rulename, pg_get_ruledef(w.oid)
  from relations r join pg_rewrite w on w.ev_class = r.oid where rulename <> '_RETURN'
union all select nspname, 'policy', relname || '.' || polname, polcmd::text
  from relations r join pg_policy p on p.polrelid = r.oid
union all select nspname, 'function', proname::text || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    concat_ws(' ', prokind, pg_get_function_arguments(p.oid), 'returns', pg_get_function_result(p.oid), lanname,
      provolatile, case when prosecdef then 'security definer' end, case when proisstrict then 'strict' end,
      proconfig::text, encode(sha256(convert_to(coalesce(pg_get_function_sqlbody(p.oid), prosrc), 'UTF8')), 'hex'))
  from pg_proc p join own n on n.oid = pronamespace join pg_language l on l.oid = prolang
union all select nspname, 'type', typname, typtype::text
  from pg_type t join own n on n.oid = typnamespace where typtype in ('d', 'e', 'r') or typtype = 'b' and typelem = 0
union all select nspname, 'operator', oprname || ' ' || o.oid::regoperator::text, oprcode::text
  from pg_operator o join own n on n.oid = oprnamespace
union all select n.nspname, 'function', proname::text || '(' || pg_get_function_identity_arguments(p.oid) || ')', 'bears the name of one of PostgreSQL'
  from pg_namespace n join pg_proc p on pronamespace = n.oid where n.nspname in ('public', current_user)
    and exists (select from pg_proc s where s.proname = p.proname and s.pronamespace = 'pg_catalog'::regnamespace)
    and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
union all select n.nspname, 'operator', o.oid::regoperator::text, 'bears the name of one of PostgreSQL'
  from pg_namespace n join pg_operator o on oprnamespace = n.oid where n.nspname in ('public', current_user)
    and exists (select from pg_operator s where s.oprname = o.oprname and s.oprnamespace = 'pg_catalog'::regnamespace)
    and not exists (select from pg_depend where objid = o.oid and deptype = 'e')
union all select '', 'cast', format_type(castsource, null) || ' as ' || format_type(casttarget, null), castmethod::text
  from pg_cast c where c.oid >= 16384 and castsource < 16384 and casttarget < 16384
union all select nspname, 'grant', ${grantee}, string_agg(g.privilege_type || ' on ' || relname, ', ' order by relname, g.privilege_type)
  from relations, aclexplode(relacl) g where g.grantee <> relowner and g.privilege_type in ${writing} group by 1, 3
union all select nspname, 'grant', ${grantee} || ' by column', string_agg(g.privilege_type || ' on ' || relname || '.' || attname, ', ' order by relname, attname)
  from relations r join pg_attribute a on a.attrelid = r.oid, aclexplode(attacl) g
  where g.grantee <> relowner and g.privilege_type in ${writing} group by 1, 3
union all select nspname, 'grant', ${grantee} || ' on schema', g.privilege_type
  from own, aclexplode(nspacl) g where g.grantee <> nspowner and g.privilege_type = 'CREATE'
union all select nspname, 'owner', relname, pg_get_userbyid(relowner) from relations where relowner <> nspowner and relkind in ('r', 'v', 'p')
union all select nspname, 'owner', proname, pg_get_userbyid(proowner) from pg_proc join own n on n.oid = pronamespace where proowner <> nspowner
union all select '', 'setting', coalesce((select rolname from pg_roles where oid = setrole), 'database'), each
  from pg_db_role_setting, unnest(setconfig) each
  where setdatabase in (0, (select oid from pg_database where datname = current_database()))
    and setrole in (0, (select oid from pg_roles where rolname = current_user))
    and split_part(each, '=', 1) in ('search_path', 'session_replication_role', 'role', 'session_preload_libraries', 'local_preload_libraries')
union all select '', 'trigger', evtname, 'on ' || evtevent from pg_event_trigger where evtevent = 'login' and evtenabled <> 'D'
order by 1, 2, 3`;

/** @param client its search path must be `pg_catalog`, because the names that PostgreSQL prints depend on it */
export async function readCatalogue(
  client: pg.ClientBase,
  schemas: readonly string[],
): Promise<CatalogueFact[]> {
  const { rows } = await client.query<CatalogueFact>(facts, [schemas]);
  return rows;
}

/** On a connection of its own. */
export function catalogueOf(url: string, schemas: readonly string[]): Promise<CatalogueFact[]> {
  return withConnection({ connectionString: url, application_name: 'atelier-audit' }, async (client) => {
    await client.query('set search_path = pg_catalog');
    return readCatalogue(client, schemas);
  });
}
