import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Atelier, AtelierError, verifyWebhook, WebhookVerificationError } from '@atelier/client';
import { Shop, type Article, type Order, type Shots } from './shop.ts';

const {
  ATELIER_URL = 'http://127.0.0.1:3000',
  ATELIER_KEY = '',
  BUDGET = '200',
  PORT = '4000',
  WEBHOOK_URL = `http://127.0.0.1:${PORT}/hooks/atelier`,
  SHOP_HOME = join(import.meta.dirname, 'shop'),
} = process.env;

/** The season is part of every Idempotency-Key, so each season has its own orders. */
const season = 'spring';
const budget = Number(BUDGET);

/**
 * In this order: no credits, no permission, not found, not valid. A 503 is no refusal: the outcome of that
 * dispatch is unknown.
 */
const refusals = new Set([402, 403, 404, 422]);

await mkdir(SHOP_HOME, { recursive: true });
const articles = JSON.parse(readFileSync(join(import.meta.dirname, 'articles.json'), 'utf8')) as Article[];
const shop = new Shop(join(SHOP_HOME, 'shop.db'), articles);
const atelier = new Atelier({ baseUrl: ATELIER_URL, apiKey: ATELIER_KEY });

/** Called by Atelier when a job has ended. */
const receiver = createServer((request, response) => {
  const receive = async () => {
    const message = await verifyWebhook(await text(request), request.headers, await secret);
    shop.heard(String(request.headers['webhook-id']), message);
    // Acknowledged once it is stored, and before any work is done.
    response.writeHead(204).end();
    receiver.emit('message');
  };
  receive().catch((error: unknown) => {
    // After any answer but 2xx, Atelier sends the message again.
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    console.error(String(error));
  });
});
// In production, a proxy in front of it terminates TLS.
receiver.listen(Number(PORT), '127.0.0.1');
await once(receiver, 'listening');
const secret = endpointSecret();
await secret;

await askWhatWasMissed();
for (const article of shop.orders()) await offer(article);
await orderShots();
await collectPictures();
receiver.close();
report();

/**
 * Registers this shop's address once. If the process was killed before it stored the secret, the address
 * already exists and gets a new secret.
 */
async function endpointSecret(): Promise<string> {
  const known = shop.secretOf(WEBHOOK_URL);
  if (known) return known;
  const { items } = await atelier.get('/v1/webhooks');
  const found = items.find(({ url }) => url === WEBHOOK_URL);
  const { secret } = found
    ? await atelier.post(
        '/v1/webhooks/{public_id}/rotate-secret',
        { overlap_hours: 0 },
        { public_id: found.public_id },
      )
    : await atelier.post('/v1/webhooks', { url: WEBHOOK_URL, events: ['job.succeeded', 'job.failed'] });
  shop.keepSecret(WEBHOOK_URL, secret);
  return secret;
}

async function choosePresets() {
  const first = async (kind: 'model' | 'background' | 'shot') =>
    (await atelier.get('/v1/presets', { kind }))[0]?.id ?? '';
  return {
    model_preset_id: await first('model'),
    background_preset_id: await first('background'),
    shot_preset_id: await first('shot'),
  };
}

/** Uploads an article's photograph and registers it as a product. */
async function offer({ sku, title, photo, assetId, productId }: Order): Promise<void> {
  if (productId) return;
  // Both steps may be repeated: a second upload only makes another free picture, and a second registration
  // under the same reference makes no second product.
  const asset = assetId ?? (await atelier.upload({ path: join(import.meta.dirname, photo) })).asset_id;
  shop.uploaded(sku, asset);
  const product = { title, external_ref: sku, upload_asset_public_id: asset };
  shop.registered(sku, (await atelier.post('/v1/products', product)).public_id);
  console.log(`${sku} ${title}: uploaded`);
}

/** Orders a picture of each article until the budget is spent. */
async function orderShots(): Promise<void> {
  const presets = await choosePresets();
  for (const { sku, title, assetId, jobId, ...known } of shop.orders()) {
    if (jobId) continue;
    const shots = { garment_image_asset_refs: [assetId ?? ''], product_title: title, ...presets };
    const request = known.request ?? (await reserve(sku, shots));
    if (!request) return;
    try {
      // The key belongs to the article: after a kill, the repeated request finds the same job and charges
      // nothing more.
      const idempotencyKey = `${season}/${sku}`;
      const accepted = await atelier.run('catalog-shots', request, { idempotencyKey }).accepted;
      shop.ordered(sku, accepted.job_id, accepted.credits_cost);
      console.log(`${sku} ${title}: ordered`);
    } catch (error) {
      // A refusal charges nothing. After any other failure, the next start repeats the request with the same
      // key.
      if (error instanceof AtelierError && refusals.has(error.status)) shop.release(sku);
      throw error;
    }
  }
}

/** Writes down the next order, if the budget has room for it. */
async function reserve(sku: string, request: Shots): Promise<Shots | undefined> {
  const quote = await atelier.quote('catalog-shots', request);
  if (!quote.would_be_accepted || shop.spent() + quote.credits_cost > budget) return undefined;
  shop.reserve(sku, request, quote.credits_cost);
  return request;
}

/** Messages may be late, so this looks at the jobs themselves. */
async function askWhatWasMissed(): Promise<void> {
  for (const { jobId, status } of shop.orders()) {
    if (!jobId || status) continue;
    const job = await atelier.get('/v1/jobs/{public_id}', { public_id: jobId });
    if (job.status === 'SUCCESS' || job.status === 'FAILURE') shop.ended(jobId, job.status);
  }
}

/** Fetches each picture when its message arrives, until all have come. */
async function collectPictures(): Promise<void> {
  for (;;) {
    const stop = new AbortController();
    const message = once(receiver, 'message', { signal: stop.signal }).catch(() => undefined);
    const minute = sleep(60_000, undefined, { signal: stop.signal }).then(askWhatWasMissed, () => undefined);
    const orders = shop.orders();
    for (const order of orders) if (order.status === 'SUCCESS' && !order.picture) await fetchPicture(order);
    if (orders.some(({ jobId, status }) => jobId && !status)) await Promise.race([message, minute]);
    else if (!orders.some(({ status, picture }) => status === 'SUCCESS' && !picture)) return stop.abort();
    stop.abort();
  }
}

async function fetchPicture({ sku, jobId }: Order): Promise<void> {
  const job = await atelier.get('/v1/jobs/{public_id}', { public_id: jobId ?? '' });
  const final = job.result?.artifacts.find(({ role }) => role === 'final');
  // The URL is short-lived, so the shop stores the picture.
  const picture = await fetch(final?.image_url ?? '');
  if (!picture.ok) throw new Error(`${sku}: the picture was answered ${picture.status}`);
  const path = join(SHOP_HOME, `${sku}.png`);
  await writeFile(`${path}.part`, await picture.bytes());
  await rename(`${path}.part`, path);
  shop.pictured(sku, path);
  console.log(`${sku}: ${path}`);
}

function report(): void {
  const orders = shop.orders();
  const waiting = orders.filter(({ jobId }) => !jobId);
  const failed = orders.filter(({ status }) => status === 'FAILURE');
  console.log(
    `${orders.filter(({ picture }) => picture).length} of ${orders.length} articles have their picture.`,
  );
  console.log(`${shop.spent()} of ${budget} credits are spent, ${budget - shop.spent()} are left.`);
  if (failed.length > 0) console.log(`Failed and refunded: ${failed.map(({ sku }) => sku).join(', ')}`);
  if (waiting.length > 0)
    console.log(`Not ordered, for lack of budget or credits: ${waiting.map(({ sku }) => sku).join(', ')}`);
}
