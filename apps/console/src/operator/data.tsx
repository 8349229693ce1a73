import { Link, useParams } from 'wouter';
import { Id } from '../shared/format.js';
import { Loaded, Page, Select } from '../shared/ui.js';
import { api } from './api.js';
import { ClosingOf } from './closings.js';
import { environmentOptions, useAccountChoice } from './environment.js';
import { Erasures } from './erasures.js';
import { Holds } from './holds.js';
import { Releases } from './releases.js';
import { Retention } from './retention.js';

/** The pictures and words of one account: what was erased, what must stay, and for how long the rest is kept. */
export function DataPage() {
  const { tenant = '' } = useParams();
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}', { params: { path: { tenant } } });
  const { env, there, set } = useAccountChoice(query.data?.accounts ?? []);
  return (
    <Page
      title="Data"
      lead={
        <>
          <Link href={`/tenants/${tenant}`}>{query.data?.name ?? 'Tenant'}</Link>, {env} account{' '}
          <Id id={tenant} whole />
        </>
      }
    >
      <Loaded query={query} lines={10}>
        {() => (
          <>
            {there.length > 1 && (
              <div className="filters">
                <Select
                  label="Environment"
                  value={env}
                  onChange={set('env')}
                  options={environmentOptions(there)}
                />
              </div>
            )}
            <Erasures key={`erasures in ${env}`} tenant={tenant} env={env} />
            <Holds tenant={tenant} env={env} />
            <Retention tenant={tenant} env={env} />
            <Releases key={`releases in ${env}`} tenant={tenant} env={env} />
            <ClosingOf tenant={tenant} env={env} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
