import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { AdminService } from '../../../test/admin/support.js';
import { ApiService } from '../../../test/api/support/api-service.js';
import { expectError, type Json } from '../../../test/api/support/api-client.js';
import { aPicture, makePictures, succeedWith } from '../../../test/api/support/made-pictures.js';
import { verbsOn } from '../../../test/cli/support/verbs.js';
import { checkForEverybody, checkPage, openConsolePage, whenDrawn } from '../../../test/console/support.js';
import { openBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { startErasing } from './support/erasing.js';

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const service = untilEnd(await ApiService.start({ projector: false }));
const erasing = await startErasing(service, pem, { timing: { sweepIntervalMs: 200 } });
untilEnd({ [Symbol.asyncDispose]: () => erasing.stop() });
const api = await service.openApi();
const admin = untilEnd(
  await AdminService.start(service.databaseUrl, {
    variables: {
      ATELIER_HOME: service.folder,
      URL_SIGNING_SECRET: 'a secret of tests',
      PUBLIC_URL: api.url,
      ATELIER_RETENTION_DAYS: 'words=365',
      ATELIER_RETENTION_MAX_DAYS: 'uploads=100',
    },
  }),
);
const adaToken = await admin.token('ada', 'admin');
const tenant = await service.openTenant({ credits: 100 });
const person = 'Zoë Quistgaard';
const path = `/tenants/${tenant.id}/data`;

const ada = await openDesk();
const bob = await openDesk();

/** Each operator has a browser of their own, because the browser of specs keeps one set of cookies. */
async function openDesk() {
  const { page, problems } = await openConsolePage(untilEnd(await openBrowser()));
  const dialog = () => page.getByRole('dialog');
  const press = (button: string) => page.getByRole('button', { name: button, exact: true }).first().click();
  return {
    page,
    problems,
    dialog,
    press,
    async logIn(name: string, token: string) {
      await page.goto(`${admin.url}/console`);
      await page.getByLabel('Operator’s token').fill(token);
      await press('Log in');
      await page.getByText(`${name}, `).waitFor();
    },
    async open(to: string) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${admin.url}/console${to}`);
      await whenDrawn(page);
    },
    async check(name: string) {
      await checkForEverybody(page, name);
      await page.setViewportSize({ width: 1280, height: 900 });
    },
    confirm: (button: string) => dialog().getByRole('button', { name: button, exact: true }).click(),
    fill: (label: string, text: string) => dialog().getByLabel(label).fill(text),
    said: (words: string) => page.locator('output').getByText(words).waitFor(),
    section: (title: string) => page.getByRole('region', { name: title, exact: true }).first(),
  };
}

beforeAll(async () => {
  await ada.logIn('ada', adaToken);
  await bob.logIn('bob', await admin.token('bob', 'finance'));
});

async function uploadOf(name: string): Promise<string> {
  const form = new FormData();
  form.append('data_subject', name);
  form.append('file', new Blob([new Uint8Array(await aPicture())], { type: 'image/png' }), 'p.png');
  const { status, body } = await api.call('POST', '/v1/uploads', { key: tenant.key, body: form });
  expect(status).toBe(201);
  return body.asset_id as string;
}

async function ask(route: string): Promise<Json> {
  const { status, body } = await admin.ask(route, adaToken);
  expect({ route, status }).toEqual({ route, status: 200 });
  return body;
}

describe('a legal hold', () => {
  it('is placed with a reason, and keeps a person from being erased', async () => {
    await uploadOf(person);
    await ada.open(path);
    await ada.press('Place a hold…');
    await ada.fill('The person’s name', person);
    await ada.fill('Why, for the record', 'court order 7');
    await checkPage(ada.page, 'dialog of a hold');
    await ada.confirm('Place it');
    await ada.said('The hold is in force');
    await ada.section('Legal holds').getByText(`the person ${person}`).waitFor();
    await ada.press('Erase…');
    await ada.dialog().getByLabel('What').selectOption('person');
    await ada.fill('Its id, or the person’s name', person);
    await ada.confirm('Count');
    await ada.dialog().getByText('lift the hold first').waitFor();
    await checkPage(ada.page, 'dialog of an erasure that is refused');
    expect(await ada.dialog().getByRole('button', { name: 'Erase for good' }).isDisabled()).toBe(true);
    await ada.confirm('Back');
  });

  it('is lifted with a reason', async () => {
    await ada.press('Lift');
    await ada.fill('Why, for the record', 'the case is over');
    await ada.confirm('Lift it');
    await ada.said('The hold is lifted');
    await ada.page.getByText('No hold is in force').waitFor();
    const { holds } = await ask(`GET /tenants/${tenant.id}/holds?env=live`);
    expect(holds).toEqual([]);
  });
});

describe('an erasure', () => {
  it('is counted before it can be ordered, and anew when a field has changed', async () => {
    await uploadOf('Ben');
    await ada.open(path);
    await ada.press('Erase…');
    const erase = ada.dialog().getByRole('button', { name: 'Erase for good' });
    expect(await erase.isDisabled()).toBe(true);
    await ada.dialog().getByLabel('What').selectOption('person');
    await ada.fill('Its id, or the person’s name', person);
    await ada.confirm('Count');
    await ada.dialog().getByText('This would erase 1 picture.').waitFor();
    await ada.check('dialog of an erasure');
    await ada.fill('Its id, or the person’s name', 'Ben');
    expect(await erase.isDisabled()).toBe(true);
    await ada.fill('Its id, or the person’s name', person);
    // Counts once more.
    await ada.page.keyboard.press('Enter');
    await ada.dialog().getByText('This would erase 1 picture.').waitFor();
    expect((await ask(`GET /tenants/${tenant.id}/erasures`)).total).toBe(0);
    await erase.click();
    await ada.said('The erasure has begun');
  });

  it('is followed to its receipt, which is saved and can be checked', async () => {
    const row = ada.section('Erasures').getByRole('row').filter({ hasText: 'operator:ada' });
    await row.getByText('completed').waitFor();
    await row.getByRole('button', { name: 'Show' }).click();
    await ada.page.getByText('keys of the words are destroyed').waitFor();
    await ada.page.getByRole('table', { name: 'What remains elsewhere' }).getByText('backups').waitFor();
    await ada.check('data, an erasure');
    const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.press('Save the receipt')]);
    const file = await download.path();
    const { key } = JSON.parse(readFileSync(file, 'utf8'));
    const { json } = verbsOn(service);
    expect(await json(['erasures', 'verify', file, '--key', key])).toMatchObject({
      proven: true,
      by: 'operator:ada',
    });
    const { actions } = await ask('GET /actions?by=ada&limit=100');
    expect(JSON.stringify(actions)).not.toContain('Quistgaard');
  });
});

it('a change of the retention takes what is sent, and empty fields follow the default', async () => {
  await ada.open(path);
  const kept = (what: string) =>
    ada.section('Retention').getByRole('row').filter({ hasText: what }).locator('[data-head="kept for"]');
  expect(await kept('Uploaded pictures').textContent()).toBe('100 days');
  await ada.press('Change…');
  await ada.fill('Uploaded pictures', '101');
  await ada.fill('Finished pictures', '800');
  await ada.confirm('Change it');
  await ada.dialog().getByText('cannot be kept for longer').waitFor();
  await ada.fill('Uploaded pictures', '30');
  await checkPage(ada.page, 'dialog of the retention');
  await ada.confirm('Change it');
  await ada.said('The retention is changed');
  await kept('Uploaded pictures').getByText('30 days').waitFor();
  await kept('Finished pictures').getByText('800 days').waitFor();
  await ada.press('Change…');
  await ada.fill('Finished pictures', '');
  await ada.confirm('Change it');
  await kept('Finished pictures').getByText('no limit').waitFor();
  expect(await ask(`GET /tenants/${tenant.id}/retention?env=live`)).toMatchObject({
    uploads: { own: 30 },
    finals: { own: null },
    words: { own: null, days: 365 },
  });
});

it('a release is shown with its terms, the jobs under it, and the fees that are owed', async () => {
  const photo = await uploadOf('Anna');
  const terms = { data_subject: 'Anna', uses: ['e-commerce'], fee_amount: 250, fee_currency: 'EUR' };
  expect((await api.post('/v1/releases', tenant.key, terms)).status).toBe(201);
  const { status, body } = await api.post('/v1/extract', tenant.key, { trial_image: photo });
  expect(status).toBe(202);
  const jobId = body.job_id as string;
  await succeedWith(service, tenant, jobId, [{ kind: 'garment' }]);
  await eventually(async () => (await api.get(`/v1/jobs/${jobId}`, tenant.key)).body.status === 'SUCCESS');
  await ada.open(path);
  const row = ada.section('Model releases').getByRole('row').filter({ hasText: 'Anna' });
  for (const words of ['active', 'e-commerce', '2.50 EUR']) await row.getByText(words).waitFor();
  await row.getByRole('button', { name: 'Show' }).click();
  await ada.page.getByText('1 job. Owed: 2.50 EUR for 1 job.').waitFor();
  await ada.page.getByRole('table', { name: 'Jobs under the release' }).getByText('extract').waitFor();
  await ada.check('data, a release');
});

it('a release is granted with its terms, and ended', async () => {
  await ada.open(path);
  await ada.press('Grant a release…');
  await ada.fill('The person’s name as the tenant uses it', 'Berta');
  await ada.fill('Workflows', 'sculpture');
  await ada.fill('Countries', 'DE, AT');
  await ada.fill('Fee for each job, in credits', '2');
  await checkPage(ada.page, 'dialog of a release');
  await ada.confirm('Grant it');
  await ada.dialog().getByText('workflows').first().waitFor();
  expect((await ask(`GET /tenants/${tenant.id}/releases?env=live&data_subject=Berta`)).total).toBe(0);
  await ada.fill('Workflows', 'try-on,extract');
  await ada.confirm('Grant it');
  await ada.said('The release is granted');
  const granted = async () =>
    (await ask(`GET /tenants/${tenant.id}/releases?env=live&data_subject=Berta`)).releases as Json[];
  expect(await granted()).toMatchObject([
    {
      workflows: ['try-on', 'extract'],
      uses: [],
      territories: ['DE', 'AT'],
      expires_at: null,
      fee: { amount: 2, unit: 'credits' },
      status: 'active',
    },
  ]);
  await ada.open(path);
  const row = ada.section('Model releases').getByRole('row').filter({ hasText: 'Berta' });
  await row.getByRole('button', { name: 'End' }).click();
  await ada.dialog().getByText('are cancelled and refunded').waitFor();
  await ada.fill('Why, for the record', 'she asked for it');
  await ada.confirm('End it');
  await ada.said('The release has ended');
  expect(await granted()).toMatchObject([{ status: 'withdrawn' }]);
  await row.getByText('withdrawn').waitFor();
  expect(await row.getByRole('button', { name: 'End' }).count()).toBe(0);
});

it('the archive of a tenant is saved as a file', async () => {
  const { jobId } = await makePictures(api, service, tenant, { kind: 'model_portrait' });
  await ada.open(path);
  await ada.press('Download all…');
  const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.confirm('Download')]);
  expect(download.suggestedFilename()).toBe(`tenant-${tenant.id}-live.zip`);
  const bytes = readFileSync(await download.path());
  expect(bytes.subarray(0, 2).toString()).toBe('PK');
  expect(bytes.includes(`jobs/${jobId}/`)).toBe(true);
});

describe('a closing', { timeout: 300_000 }, () => {
  const propose = async (days: string) => {
    await ada.press('Close the tenant…');
    await ada.fill('Days of notice', days);
  };
  const state = (who: typeof ada, words: string) =>
    who.section('Closing').locator('dd').getByText(words, { exact: true }).waitFor({ timeout: 120_000 });

  it('needs another operator than the one who proposes it', async () => {
    await ada.open(path);
    await propose('30');
    await ada.check('dialog of a closing');
    await ada.confirm('Propose it');
    await ada.said('Another operator must approve it');
    await state(ada, 'proposed');
    await ada.press('Approve');
    await ada.confirm('Approve it');
    await ada.dialog().getByText('another operator must approve').waitFor();
    await ada.confirm('Back');
  });

  it('waits under Approvals, and can be cancelled in its notice period', async () => {
    await bob.open('/grants');
    await bob.check('approvals, a closing');
    await bob.open('/grants');
    await bob.press('Approve');
    await bob.dialog().getByText('You can cancel it for 30 days').waitFor();
    await checkPage(bob.page, 'dialog of an approval');
    await bob.confirm('Approve it');
    await bob.said('The closing is approved');
    await eventually(async () =>
      expectError(await api.post('/v1/model-generator', tenant.key, {}), 403, 'ACCOUNT_INACTIVE'),
    );
    await ada.open(`/tenants/${tenant.id}`);
    await ada.check('tenant, a closing');
    await ada.page.getByRole('link', { name: 'notice' }).click();
    await state(ada, 'notice');
    await ada.check('data, a closing');
    await ada.press('Cancel the closing');
    await ada.confirm('Cancel it');
    await ada.said('The tenant goes on as before');
    await eventually(async () => (await api.post('/v1/model-generator', tenant.key, {})).status === 202);
  });

  it('is declined, or erases everything at its end', async () => {
    await propose('0');
    await ada.confirm('Propose it');
    await bob.open(path);
    await bob.press('Decline');
    await bob.confirm('Decline it');
    await bob.said('The closing is cancelled');
    await ada.open(path);
    await propose('0');
    await ada.confirm('Propose it');
    await state(ada, 'proposed');
    await bob.open(path);
    await bob.press('Approve');
    await bob.dialog().getByText('There is no notice period').waitFor();
    await bob.confirm('Approve it');
    await state(bob, 'closed');
    await bob.section('Erasures').getByText('saga:closings').waitFor();
    expect(await bob.page.getByRole('button', { name: 'Cancel the closing' }).count()).toBe(0);
    await eventually(async () => (await api.get('/v1/credits', tenant.key)).status === 401);
    await bob.check('data, closed');
    await bob.open(`/tenants/${tenant.id}`);
    await bob.check('tenant, closed');
  });
});

it('says to an operator who may not do it which role may', async () => {
  const { id } = await service.openTenant();
  await bob.press('Log out');
  // Logging out loads the page anew, which would break off a load that begins before its end.
  await bob.page.getByLabel('Operator’s token').waitFor();
  await bob.logIn('eve', await admin.token('eve', 'read'));
  await bob.open(`/tenants/${id}/data`);
  await bob.press('Close the tenant…');
  await bob.confirm('Propose it');
  await bob
    .dialog()
    .getByText(/finance/)
    .waitFor();
});

it('never broke, and never asked for what its policy keeps out', () => {
  expect([...ada.problems, ...bob.problems]).toEqual([]);
});
