import '#platform/node-version.js';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '#platform/errors.js';
import { readHomeSecrets, readRuntime, withHomeSecrets } from '#platform/home-files.js';
import { packagePath } from '#platform/package-folder.js';
import { complain, say, warn } from './console.js';
import { DemoClient, type PictureLink } from './demo/client.js';
import { DemoProgress, savePicture, showAccounts } from './demo/show.js';
import { demoTenantOf, FirstStart, leastCredits } from './first-start.js';
import { Standalone, loadSettings } from './standalone.js';

const workflow = 'product-to-model-direct';
const photograph = packagePath('assets', 'samples', 'garment-photograph.jpg');
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
  complain(`the demo failed: ${messageOf(error)}`);
});
// Nothing that a library keeps open may hold up the end.
process.exit();

async function run(): Promise<void> {
  await using service = await useService();
  const { configuration, baseUrl } = service;
  say(`${service.started ? 'Started' : 'Using the running service'} at ${baseUrl}.`);
  await using firstStart = await FirstStart.on(configuration);
  const tenant = demoTenantOf(configuration.home);
  await firstStart.provide(tenant, leastCredits);
  const { keyId, key } = await firstStart.issueKey(tenant, 'npm run demo');
  try {
    await play(new DemoClient(baseUrl, key, signal));
  } finally {
    await firstStart.revokeKey(tenant, keyId, 'the demo is over');
  }
}

/**
 * The service that runs on ATELIER_HOME. If none runs, this starts one on a free port, and its disposal stops
 * that service. The data stays for the next `npm start`.
 * @throws StartError
 */
async function useService() {
  const home = resolve(process.env['ATELIER_HOME'] || '.atelier');
  // If a public address were set, the demo might not reach the pictures. Port 0 takes any free port, so it is
  // never in use.
  const settings = loadSettings({ ...process.env, PORT: '0', PUBLIC_URL: undefined });
  const running = readRuntime(home);
  if (!running) say(`No service runs on ${home} yet: starting one for the demo …`);
  const standalone = running
    ? undefined
    : await Standalone.start({ settings, signal, warn, seedDemoTenant: false });
  const runtime = running ?? readRuntime(home);
  if (!runtime) throw new Error('the service is ready but did not say where it is');
  const { baseUrl, databaseUrl, eventStoreUrl } = runtime;
  const known = withHomeSecrets(settings.configuration, readHomeSecrets(home));
  const configuration = { ...known, databaseUrl, eventStoreUrl };
  const stop = async () => standalone?.stop();
  return { configuration, baseUrl, started: !running, [Symbol.asyncDispose]: stop };
}

async function play(client: DemoClient): Promise<void> {
  const { chargeId, artifacts } = await render(client);
  let place = 0;
  for (const artifact of artifacts) {
    const name = artifact.role === 'final' ? workflow : `${++place} ${artifact.label || artifact.kind}`;
    const saved = await savePicture(outputFolder, name, await client.download(artifact));
    const what = artifact.role === 'final' ? 'Picture' : 'On the way';
    say(`${what}: ${saved.path} (${saved.width} × ${saved.height})`);
  }
  if (!artifacts.some(({ role }) => role === 'final')) throw new Error('the job succeeded without a picture');
  await showAccounts(client, chargeId);
}

/**
 * Uploads, dispatches, and follows the timeline to its end. @throws Error with the job's own message when the
 * job fails
 */
async function render(client: DemoClient): Promise<{ chargeId: string; artifacts: readonly PictureLink[] }> {
  using progress = new DemoProgress('Rendering', expectedSteps);
  const upload = await client.upload(readFileSync(photograph), 'garment-photograph.jpg');
  progress.step(`uploaded   the photograph of a garment, asset ${upload.asset_id}`);
  const accepted = await client.dispatch(workflow, {
    product_image_s3_key: upload.upload_key,
    display_name: 'Demo',
  });
  progress.step(`accepted   ${workflow}, job ${accepted.job_id}, ${accepted.credits_cost} credits`);
  const artifacts: PictureLink[] = [];
  for await (const event of client.timeline(accepted.job_id)) {
    const stage = event.event_type === 'stage' ? `${event.stage}: ` : '';
    progress.step(`${event.event_type.padEnd(10)} ${stage}${event.message}`);
    artifacts.push(...event.artifacts);
    if (event.event_type === 'failed') throw new Error(`job ${accepted.job_id} failed: ${event.message}`);
  }
  return { chargeId: accepted.request_id, artifacts };
}
