import { defineCall } from '#operator-calls/call.js';
import { OfAccount } from '#operator-calls/input.js';
import { printLine, printProperties } from '#operator-calls/output.js';
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
    const pushes = await operator.get(Pushes).stateOf(env, tenant);
    return { tenant_id: tenant, bucket: bucket ? presentBucket(bucket, pushes) : null };
  },
  print({ bucket }) {
    if (!bucket) return printLine('The tenant has no bucket in this environment.');
    const { waiting, failed, last_success: success, last_error: error } = bucket.pushes;
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
