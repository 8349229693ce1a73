import { Atelier } from '@atelier/client';
import type { Order, UploadGrant } from './server.ts';

const form = document.querySelector('form')!;
const input = document.querySelector('input')!;
const button = document.querySelector('button')!;
const status = document.querySelector('output')!;
const picture = document.querySelector('img')!;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const [photo] = input.files ?? [];
  if (!photo) return;
  button.disabled = true;
  order(photo)
    .catch((error: unknown) => (status.value = String(error)))
    .finally(() => (button.disabled = false));
});

/**
 * Each token gives access to one upload or one job, for minutes. With it the page itself uploads to Atelier and
 * follows the job.
 */
async function order(photo: File): Promise<void> {
  status.value = 'Uploading';
  const grant = (await ask('/api/uploads')) as UploadGrant;
  const upload = await new Atelier({ baseUrl: grant.baseUrl, apiKey: grant.token }).upload(photo);
  const { jobId, token } = (await ask('/api/orders', { assetId: upload.asset_id })) as Order;
  const atelier = new Atelier({ baseUrl: grant.baseUrl, apiKey: token });
  for await (const { message } of atelier.follow(jobId)) status.value = message;
  const job = await atelier.get('/v1/jobs/{public_id}', { public_id: jobId });
  const final = job.result?.artifacts.find(({ role }) => role === 'final');
  if (!final) return void (status.value = job.error?.message ?? 'There is no picture.');
  picture.src = final.image_url;
  picture.hidden = false;
}

async function ask(path: string, body: object = {}): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`The shop answered ${answer.status}`);
  return answer.json();
}
