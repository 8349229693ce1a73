import { defineCall } from '#operator-calls/call.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { OfAccount } from '#operator-calls/input.js';
import { printProperties } from '#operator-calls/output.js';
import { presentBucket } from './buckets.dto.js';
import { BucketsModule } from './buckets.module.js';
import { bucketOf } from './manage-buckets.js';
import { Pushes } from './pushes.js';

export const showBucket = defineCall({
  name: 'buckets show',
  route: 'GET /tenants/:tenant/bucket',
  may: ['read'],
  summary: 'The bucket of a tenant without its secret, and how the last pushes went',
  input: OfAccount,
  features: [BucketsModule],
  async run(operator, { tenant, env }) {
    await operator.account(env, tenant);
    const bucket = await bucketOf(operator.store, env, tenant);
    if (!bucket) throw new CallRefused('the tenant has no bucket in this environment', 'RESOURCE_NOT_FOUND');
    return { ...presentBucket(bucket, await operator.get(Pushes).stateOf(env, tenant)) };
  },
  print({ pushes: { waiting, failed, last_success: success, last_error: error }, ...bucket }) {
    printProperties([
      ['endpoint', bucket.endpoint],
      ['bucket', `${bucket.bucket}/${bucket.prefix}`],
      ['access key id', bucket.access_key_id],
      ['connected at', bucket.connected_at],
      ['waiting', String(waiting)],
      ['failed', String(failed)],
      ['last success', success ? `${success.job_id} at ${success.at}` : 'none'],
      ['last error', error ? `${error.job_id} at ${error.at}: ${error.error}` : 'none'],
    ]);
  },
});
