import { join } from 'node:path';
import { newId } from '#platform/ids.js';
import { readJson, writePrivateJson } from '#platform/private-files.js';
import type { Tenancy } from './tenancy.js';

export interface DemoKey {
  readonly tenant: string;
  readonly key: string;
  readonly credits: number;
}

interface DemoTenantFile {
  readonly tenant: string;
  /** Whether the key has been shown. Until then a start that was cut short issues another one. */
  readonly announced: boolean;
}

export const demoTenantName = 'Demo';
export const demoCredits = 1_000;

function fileOf(home: string): string {
  return join(home, 'demo-tenant.json');
}

/**
 * On the first start of an empty installation: a tenant to play with. The file that names it is written before the
 * tenant exists, so that a start which dies half-way is continued and not repeated.
 */
export async function seedDemoTenant(
  home: string,
  tenancy: Tenancy,
  show: (key: DemoKey) => void,
): Promise<void> {
  let file = readJson(fileOf(home)) as DemoTenantFile | undefined;
  if (!file) {
    if (!(await tenancy.isUntouched())) return;
    file = { tenant: newId(), announced: false };
    writePrivateJson(fileOf(home), file);
  }
  if (file.announced) return;
  const { tenant } = file;
  await tenancy.provide(tenant, demoTenantName, demoCredits);
  const { key } = await tenancy.issueKey(tenant, 'first start');
  show({ tenant, key, credits: demoCredits });
  writePrivateJson(fileOf(home), { tenant, announced: true });
}

/** The tenant that `npm run demo` plays for: the one whose key a first start shows, before or after. */
export function demoTenantOf(home: string): string {
  const file = readJson(fileOf(home)) as DemoTenantFile | undefined;
  if (file) return file.tenant;
  const tenant = newId();
  writePrivateJson(fileOf(home), { tenant, announced: false });
  return tenant;
}
