import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Id } from '../shared/format.js';
import { client, done } from './api.js';

/** Names that are requested at the same moment go out as one request. */
let waiting: { readonly ids: Set<string>; readonly names: Promise<ReadonlyMap<string, string>> } | undefined;

const togetherMs = 20;
const limit = 200;

function nameOf(id: string): Promise<string | null> {
  if (!waiting || waiting.ids.size >= limit) {
    const ids = new Set<string>();
    const names = new Promise((soon) => setTimeout(soon, togetherMs)).then(() => {
      if (waiting?.ids === ids) waiting = undefined;
      return askFor([...ids]);
    });
    waiting = { ids, names };
  }
  waiting.ids.add(id);
  return waiting.names.then((names) => names.get(id) ?? null);
}

async function askFor(tenant: string[]): Promise<ReadonlyMap<string, string>> {
  const { tenants } = await done(client.GET('/admin/v1/tenants', { params: { query: { tenant, limit } } }));
  return new Map(tenants.map(({ tenant_id: id, name }) => [id, name]));
}

/**
 * Shows a tenant's name, because people know it by its name. Until the name is loaded, or if there is none, it
 * shows the id.
 */
export function TenantName({ id }: { id: string }) {
  // A name never changes.
  const { data: name } = useQuery({
    queryKey: ['name of tenant', id],
    queryFn: () => nameOf(id),
    staleTime: Infinity,
  });
  return name ? <span title={id}>{name}</span> : <Id id={id} />;
}

export function TenantLink({ id }: { id: string }) {
  return (
    <Link href={`/tenants/${id}`}>
      <TenantName id={id} />
    </Link>
  );
}
