import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { complain, say, warn } from './console.js';
import { showAccounts } from './demo/accounts.js';
import { Client, type Artifact } from './demo/client.js';
import { Gallery } from './demo/gallery.js';
import { showProgress } from './demo/progress.js';
import { useService } from './demo/service.js';
import { demoCredits, demoTenantName, demoTenantOf } from './first-start/demo-tenant.js';
import { Tenancy } from './first-start/tenancy.js';

const workflow = 'product-to-model-direct';
const photograph = fileURLToPath(
  new URL('../../../../assets/samples/garment-photograph.jpg', import.meta.url),
);
const outputFolder = 'demo-output';
/** Upload, acceptance, queued, two stages, success: about that many. */
const expectedSteps = 6;
const wholeDemoWithinMs = 110_000;

const interrupted = new AbortController();
process.on('SIGINT', () => interrupted.abort(new Error('interrupted')));
process.on('SIGTERM', () => interrupted.abort(new Error('interrupted')));
const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(wholeDemoWithinMs)]);

await run().catch((error: unknown) => {
  process.exitCode = 1;
  complain(`the demo failed: ${error instanceof Error ? error.message : String(error)}`);
});
// Nothing that a library keeps open may hold up the end.
process.exit();

async function run(): Promise<void> {
  const onStarting = (home: string) => say(`Nothing runs on ${home} yet: starting it for the demo …`);
  await using service = await useService({ signal, warn, onStarting });
  say(`${service.started ? 'Started' : 'Using what runs'} at ${service.baseUrl}.`);
  await using tenancy = new Tenancy(service);
  const tenant = demoTenantOf(service.home);
  await tenancy.provide(tenant, demoTenantName, demoCredits, 10);
  const { keyId, key } = await tenancy.issueKey(tenant, 'npm run demo');
  try {
    await play(new Client(service.baseUrl, key, signal));
  } finally {
    await tenancy.revokeKey(tenant, keyId, 'the demo is over');
  }
}

async function play(client: Client): Promise<void> {
  const { chargeId, artifacts } = await render(client);
  const gallery = new Gallery(outputFolder);
  let place = 0;
  for (const artifact of artifacts) {
    const name = artifact.role === 'final' ? workflow : `${++place} ${artifact.label || artifact.kind}`;
    const saved = await gallery.save(name, await client.download(artifact));
    say(
      `${artifact.role === 'final' ? 'Picture' : 'On the way'}: ${saved.path} (${saved.width} × ${saved.height})`,
    );
  }
  if (!artifacts.some(({ role }) => role === 'final')) throw new Error('the job succeeded without a picture');
  await showAccounts(client, chargeId);
}

/** Uploads, dispatches, and follows the timeline to its end. @throws Error with the job's own message when it fails */
async function render(client: Client): Promise<{ chargeId: string; artifacts: readonly Artifact[] }> {
  using progress = showProgress('Rendering', expectedSteps);
  const upload = await client.upload(readFileSync(photograph), 'garment-photograph.jpg');
  progress.step(`uploaded   the photograph of a garment, asset ${upload.asset_id}`);
  const accepted = await client.dispatch(workflow, {
    product_image_s3_key: upload.upload_key,
    display_name: 'Demo',
  });
  progress.step(`accepted   ${workflow}, job ${accepted.job_id}, ${accepted.credits_cost} credits`);
  const artifacts: Artifact[] = [];
  for await (const event of client.timeline(accepted.job_id)) {
    const stage = event.event_type === 'stage' ? `${event.stage}: ` : '';
    progress.step(`${event.event_type.padEnd(10)} ${stage}${event.message}`);
    artifacts.push(...event.artifacts);
    if (event.event_type === 'failed') throw new Error(`job ${accepted.job_id} failed: ${event.message}`);
  }
  return { chargeId: accepted.request_id, artifacts };
}
