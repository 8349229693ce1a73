// Makes sure that the bucket S3_BUCKET exists, then ends: with 0, or with 1 and the reason. Waits for a server that is
// still starting, and may be repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { loadConfiguration } from '#platform/configuration.js';

const retryMs = 1_000;
const patienceMs = Number(process.env['CREATE_BUCKET_PATIENCE_MS'] || 60_000);

const { storage } = loadConfiguration();
if (storage.kind !== 's3') {
  process.stderr.write(
    'S3_BUCKET is not set: pictures are kept in a folder, and there is no bucket to make\n',
  );
  process.exit(1);
}
const { bucket, region, endpoint, accessKeyId, secretAccessKey, forcePathStyle } = storage;
const client = new S3Client({
  region,
  endpoint,
  forcePathStyle,
  maxAttempts: 1,
  credentials: { accessKeyId, secretAccessKey },
});

/** Whether it was this call that made it. */
async function ensureBucket() {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
    return false;
  } catch (error) {
    if (error.$metadata?.httpStatusCode !== 404) throw error;
  }
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    return true;
  } catch (error) {
    // Another one was faster.
    if (error.name === 'BucketAlreadyOwnedByYou') return false;
    throw error;
  }
}

for (const deadline = Date.now() + patienceMs; ;) {
  try {
    const made = await ensureBucket();
    process.stdout.write(`the bucket ${bucket} ${made ? 'is there now' : 'was there'}\n`);
    process.exit(0);
  } catch (error) {
    // Retrying does not change a refusal; any other answer may come from a server that is starting.
    const status = error.$metadata?.httpStatusCode;
    if ([400, 401, 403, 409].includes(status) || Date.now() > deadline) {
      process.stderr.write(`the bucket ${bucket} cannot be made: ${error.name}: ${error.message}\n`);
      process.exit(1);
    }
    await sleep(retryMs);
  }
}
