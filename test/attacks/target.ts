import { AddOperator, AddOperatorHandler } from '#capabilities/sign-in/manage-operators.handler.js';
import { installation } from '#application/command-context.js';
import { newId } from '#platform/ids.js';
import { freePort } from '#platform/embedded-postgres.js';
import { prepareAtelier } from '../bench/atelier.js';
import { dispatchLoad } from '../bench/load.js';
import { startRole } from '../support/role-process.js';
import { blankPicture } from '../support/blank-picture.js';
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
  const picture = await uploadPicture(atelier.url, key);
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
    picture,
    async token(name) {
      const at = new Date();
      const commandId = newId();
      const context = {
        environment: 'live' as const,
        tenant: installation,
        commandId,
        requestId: commandId,
        actor: 'operator' as const,
        at,
      };
      const expiresAt = new Date(at.getTime() + 3_600_000);
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

async function uploadPicture(url: string, key: string) {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(await blankPicture())], { type: 'image/png' }), 'blank.png');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/uploads`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { image_url, thumbnails } = (await response.json()) as {
    image_url: string;
    thumbnails: Record<string, string>;
  };
  return { whole: pathOf(image_url), small: pathOf(thumbnails['256'] ?? '') };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
