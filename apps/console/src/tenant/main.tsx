import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useCallback, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { Screens } from '../shared/frame.js';
import { Saying } from '../shared/ui.js';
import { CreditsPage, UsagePage } from './account.js';
import { useKey } from './api.js';
import { TenantFrame, KeyLogin } from './frame.js';
import { OwnJobPage } from './job.js';
import { OwnJobsPage, OwnPicturesPage } from './jobs.js';
import { KeysPage } from './keys.js';
import { cameByLink, LinkLogin } from './link.js';
import { OrderPage, PlaygroundPage } from './playground.js';
import { ProductPage, ProductsPage } from './products.js';
import { StartPage } from './start.js';
import { UploadsPage } from './uploads.js';
import { DeliveriesPage, WebhooksPage } from './webhooks.js';

const screens = {
  '/': StartPage,
  '/playground': PlaygroundPage,
  '/order/:workflow': OrderPage,
  '/jobs': OwnJobsPage,
  '/jobs/:id': OwnJobPage,
  '/pictures': OwnPicturesPage,
  '/uploads': UploadsPage,
  '/products': ProductsPage,
  '/products/:id': ProductPage,
  '/credits': CreditsPage,
  '/usage': UsagePage,
  '/keys': KeysPage,
  '/webhooks': WebhooksPage,
  '/webhooks/:id': DeliveriesPage,
};

const queries = new QueryClient({
  // The client has tried again already where that is of use.
  defaultOptions: { queries: { retry: false, staleTime: 2_000 } },
});

function App() {
  const [byLink, setByLink] = useState(cameByLink);
  const done = useCallback(() => setByLink(false), []);
  const key = useKey();
  if (byLink) return <LinkLogin done={done} />;
  if (key === undefined) return <KeyLogin />;
  return (
    <TenantFrame>
      <Screens screens={screens} />
    </TenantFrame>
  );
}

// The page has it.
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base="/console">
        <Saying>
          <App />
        </Saying>
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
