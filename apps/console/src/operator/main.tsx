import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { Screens } from '../shared/frame.js';
import { isRefusal, Problem, Saying } from '../shared/ui.js';
import { ActionsPage } from './actions.js';
import { queries, useSession } from './api.js';
import { AuditPage } from './audit.js';
import { CarePage } from './care.js';
import { CostsPage } from './costs.js';
import { DataPage } from './data.js';
import { EnvironmentChoice } from './environment.js';
import { Frame } from './frame.js';
import { GrantsPage } from './grants.js';
import { JobPage } from './job.js';
import { JobsPage } from './jobs.js';
import { LedgerPage } from './ledger.js';
import { Login } from './login.js';
import { ModelsPage } from './models.js';
import { NowPage } from './now.js';
import { PicturesPage } from './pictures.js';
import { PresetsPage } from './presets.js';
import { PricesPage } from './prices.js';
import { SearchPage } from './search.js';
import { TenantPage } from './tenant.js';
import { TenantsPage } from './tenants.js';

const screens = {
  '/': NowPage,
  '/jobs': JobsPage,
  '/jobs/:job': JobPage,
  '/pictures': PicturesPage,
  '/tenants': TenantsPage,
  '/tenants/:tenant': TenantPage,
  '/tenants/:tenant/ledger': LedgerPage,
  '/tenants/:tenant/data': DataPage,
  '/grants': GrantsPage,
  '/prices': PricesPage,
  '/presets': PresetsPage,
  '/costs': CostsPage,
  '/models': ModelsPage,
  '/care': CarePage,
  '/audit': AuditPage,
  '/actions': ActionsPage,
  '/search/:id': SearchPage,
};

function App() {
  const session = useSession();
  if (session.isPending) return null;
  if (!session.data)
    return isRefusal(session.error) ? (
      <Login />
    ) : (
      <Problem error={session.error} again={() => void session.refetch()} />
    );
  return (
    <Frame>
      <Screens screens={screens} />
    </Frame>
  );
}

// The page has it.
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base="/console">
        <EnvironmentChoice>
          <Saying>
            <App />
          </Saying>
        </EnvironmentChoice>
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
