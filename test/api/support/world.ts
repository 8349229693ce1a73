import type { Configuration } from '#platform/configuration.js';
import type { HttpSettings } from '../../../apps/api/src/create-api.js';
import { untilEnd } from '../../support/until-end.js';
import { ApiService, type TenantOptions } from './api-service.js';

interface WorldOptions extends TenantOptions {
  readonly projector?: boolean;
  readonly configuration?: Partial<Configuration>;
  readonly http?: HttpSettings;
}

/** A service with one API and one tenant, for the specs of one file. */
export async function openWorld({ projector = true, configuration, http, ...tenant }: WorldOptions = {}) {
  const service = untilEnd(await ApiService.start({ projector }));
  const api = await service.openApi(undefined, configuration, http);
  return { service, api, tenant: await service.openTenant(tenant) };
}
