import { AddOperator, AddOperatorHandler } from '#capabilities/sign-in/manage-operators.handler.js';
import { installation } from '#application/command-context.js';
import { freePort } from '#platform/embedded-postgres.js';
import { prepareAtelier } from '../bench/atelier.js';
import { dispatchLoad } from '../bench/load.js';
import { startRole } from '../support/role-process.js';
import { uploadBlank } from '../support/blank-picture.js';
import { byOperator } from '../support/operator.js';
import type { Target } from './attacks.js';

const entries = { api: 'apps/api/src/main.js', admin: 'capabilities/operate/server/main.js' };

/** Prepares an installation with two tenants, a few jobs, a picture, and the operators' API. */
export async function prepareTarget(serverUrl: string): Promise<Target> {
  const adminPort = await freePort();
  const atelier = await prepareAtelier(serverUrl, 2, undefined, { ATELIER_ADMIN_PORT: String(adminPort) });
  const admin = await startRole(entries.admin, atelier.settings);
  const [key = '', neighboursKey = ''] = atelier.keys;
  await dispatchLoad({ url: atelier.url, keys: [key], connections: 8, seconds: 2 });
  await atelier.catchUpSeconds();
  const { image_url: whole, thumbnails } = await uploadBlank(atelier.url, key);
  const operators = new AddOperatorHandler(atelier.store);
  return {
    url: atelier.url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    async fresh(role) {
      const port = await freePort();
      const settings = { ...atelier.settings, ATELIER_ADMIN_PORT: String(port), PORT: String(port) };
      const { pid, stop } = await startRole(entries[role], settings);
      return { pid, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => stop('SIGKILL') };
    },
    key,
    neighboursKey,
    picture: { whole: pathOf(whole), small: pathOf(thumbnails['256'] ?? '') },
    async token(name) {
      const context = byOperator('live', installation);
      const expiresAt = new Date(context.at.getTime() + 3_600_000);
      const added = await operators.execute(new AddOperator(context, { name, role: 'admin', expiresAt }));
      if (added.kind === 'rejected' || !added.token) throw new Error(`${name} was not added`);
      return added.token;
    },
    async stop() {
      await admin.stop();
      await atelier.stop();
    },
  };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
