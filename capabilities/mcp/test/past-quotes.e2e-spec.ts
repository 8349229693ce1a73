import pg from 'pg';
import { expect, it } from 'vitest';
import { streamName } from '#domain/streams.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { ApiService } from '../../../test/api/support/api-service.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import { testKeys } from '../../../test/support/signing-key.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { PastQuotes } from '../past-quotes.js';
import { agrees, call, connectAgent } from './support/agent-client.js';

const service = untilEnd(await ApiService.start());
const api = await service.openApi();
const sql = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
untilEnd({ [Symbol.asyncDispose]: () => sql.end() });
const { store, erasure, close } = await openEventStore(
  { eventStoreUrl: service.databaseUrl, databaseUrl: service.databaseUrl },
  { ...testKeys },
);
untilEnd({ [Symbol.asyncDispose]: close });

const day = 24 * 60 * 60_000;
const tendLater = (days: number) =>
  new PastQuotes(sql, erasure, () => new Date(Date.now() + days * day)).tend('test');

it('erases the words of quotes on the third day, and those of the order stay', async () => {
  const tenant = await service.openTenant({ environment: 'test', credits: 100 });
  const agent = await connectAgent({ url: api.url, key: tenant.key, session: 'run-of-zoe', person: agrees });
  untilEnd({ [Symbol.asyncDispose]: () => agent.close() });
  const body = { gender: 'FEMALE', display_name: 'For Zoë' };
  const { offer_id } = await call(agent, 'quote', { workflow: 'model-generator', body });
  const { job_id: jobId } = await call(agent, 'order', { offer_id });
  const [{ stream_id: id }] = await eventually(async () => {
    const { rows } = await sql.query<{ stream_id: string }>('select stream_id from test.agent_days');
    return rows.length === 1 && (rows as [{ stream_id: string }]);
  });
  const offered = async () => {
    const slice = await store.readStream(streamName('test', 'spend', id), { limit: 1 });
    return slice.kind === 'found' ? slice.events[0]!.data : undefined;
  };

  await tendLater(1);
  expect(await offered()).toMatchObject({ session: 'run-of-zoe', body });
  await tendLater(3);
  expect(await offered()).toMatchObject({ session: '[erased]', body: {}, credits: 5 });
  await tendLater(3);
  expect((await api.get(`/v1/jobs/${jobId}`, tenant.key)).body.request).toMatchObject(body);
  await expectAuditToHold(service);
});
