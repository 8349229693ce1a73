import type { Configuration } from '#platform/configuration.js';
import type { HttpLimits } from '../../../apps/api/src/http/request-body.js';
import { untilEnd } from '../../support/until-end.js';
import { ApiService, type TenantOptions } from './api-service.js';

interface WorldOptions extends TenantOptions {
  readonly projector?: boolean;
  readonly configuration?: Partial<Configuration>;
  readonly limits?: HttpLimits;
}

/** A service with one API and one tenant, for the specs of one file. */
export async function openWorld({ projector = true, configuration, limits, ...tenant }: WorldOptions = {}) {
  const service = untilEnd(await ApiService.start({ projector }));
  const api = await service.openApi(undefined, configuration, limits);
  return { service, api, tenant: await service.openTenant(tenant) };
}
