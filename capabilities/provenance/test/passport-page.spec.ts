import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { passportPage } from '../passport-page.js';
import type { PassportResponse } from '../provenance.dto.js';
import { textOfPdf } from './support/pdf-text.js';

const at = new Date('2026-02-01T08:30:00.000Z');
const sha256 = (of: string) => hash('sha256', of);
const job = '01K9Z7J0V6X8Y2Z4A6B8C0D2EF';

const credentials = {
  valid: true,
  problems: [],
  signed_by: {
    subject: 'O=Müller, CN=写真',
    fingerprint: sha256('certificate'),
    expires_at: '2027-01-31T12:00:00.000Z',
    expired: false,
  },
  time_stamp: {
    status: 'timeStamp.trusted' as const,
    time: '2026-01-31T12:00:01.000Z',
    authority: 'O=Uhr, CN=Zeit',
  },
  generator: 'Atelier 0.1.0',
  actions: [],
  ingredients: [],
};

const inputOf = (name: string): PassportResponse['inputs'][number] => ({
  name,
  asset_id: '01K9Z7J0V6X8Y2Z4A6B8C0D2EG',
  sha256: sha256(name),
  available: true,
  erased_at: null,
  credentials: null,
});

const passport: PassportResponse = {
  public_id: job,
  environment: 'live',
  workflow: 'product-to-model-direct',
  engine: 'sketch',
  model: 'sketch-1',
  ordered_at: '2026-01-31T12:00:00.000Z',
  finished_at: '2026-01-31T12:00:01.000Z',
  order: {
    event_id: '6d1ad4c4-0f53-5c37-8d5b-1f6f4a8a9f6e',
    stream: `live.job-${job}`,
    revision: 0,
    position: '41',
    seal: { number: 3, root: sha256('root'), key: 'the-public-key', sealed_at: '2026-01-31T12:00:03.000Z' },
  },
  inputs: [inputOf('product_image'), inputOf('model_image')],
  pictures: [
    {
      asset_id: '01K9Z7J0V6X8Y2Z4A6B8C0D2EH',
      kind: 'on_model_render',
      content_type: 'image/jpeg',
      sha256: sha256('picture'),
      available: true,
      erased_at: null,
      credentials,
    },
  ],
};

const pageOf = (more: Partial<PassportResponse> = {}) =>
  textOfPdf(passportPage({ ...passport, ...more }, at));

describe('a passport as a page', () => {
  it('has each hash in full, the order with its seal, and the commands that check it', () => {
    const { pages, text } = pageOf();
    expect(pages).toBe(1);
    for (const line of [
      `SHA-256 ${sha256('product_image')}`,
      `SHA-256 ${sha256('model_image')}`,
      `SHA-256 ${sha256('picture')}`,
      `certificate ${sha256('certificate')}`,
      `root ${sha256('root')}`,
      'key  the-public-key',
      'sha256sum FILE',
      'atelier provenance verify FILE',
      `atelier ledger prove-order --job ${job} > proof.json`,
      'atelier provenance verify FILE --seal-key the-public-key --proof proof.json',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).toContain('event 41 of the log');
    expect(text).toContain(at.toISOString());
  });

  it('says of an erased input that it was erased, and when', () => {
    const erased = { ...inputOf('product_image'), available: false, erased_at: '2026-01-31T13:00:00.000Z' };
    const { text } = pageOf({ inputs: [erased, { ...inputOf('model_image'), sha256: null }] });
    expect(text).toContain('product image. Erased on 2026-01-31T13:00:00.000Z');
    expect(text).toContain(`SHA-256 ${sha256('product_image')}`);
    expect(text).toContain('SHA-256 erased with the words of the job');
  });

  it('names no command for a seal that is not there yet', () => {
    const { text } = pageOf({ order: { ...passport.order, seal: null } });
    expect(text).toContain('No seal covered the order yet');
    expect(text).not.toContain('--seal-key');
  });

  it('says when a picture was signed, and who confirms that', () => {
    expect(pageOf().text).toContain('Time-stamp 2026-01-31T12:00:01.000Z, O=Uhr, CN=Zeit: trusted');
    const stamp = { status: 'timeStamp.mismatch', time: null, authority: null } as const;
    const wrong = { ...credentials, time_stamp: stamp };
    const { text } = pageOf({ pictures: [{ ...passport.pictures[0]!, credentials: wrong }] });
    expect(text).toContain('Its time-stamp confirms nothing: timeStamp.mismatch');
  });

  it('says what is wrong with Content Credentials that do not hold', () => {
    const broken = { ...credentials, valid: false, problems: ['assertion.dataHash.mismatch'] };
    const { text } = pageOf({ pictures: [{ ...passport.pictures[0]!, credentials: broken }] });
    expect(text).toContain('do not hold: assertion.dataHash.mismatch');
  });

  it('stays one page with many inputs, and with a signer of any name', () => {
    const inputs = Array.from({ length: 30 }, (_, number) => inputOf(`image_${number}`));
    const subject = `CN=Müller, 写真 ${'x'.repeat(5_000)}`;
    const pictures = [
      {
        ...passport.pictures[0]!,
        credentials: { ...credentials, signed_by: { ...credentials.signed_by, subject } },
      },
    ];
    const { pages, text } = pageOf({ inputs, pictures });
    expect(pages).toBe(1);
    expect(text).toContain('CN=Müller, ??');
    for (const { sha256: digest } of inputs) expect(text).toContain(digest);
  });

  it('stays one page with hundreds of pictures, and says how many it leaves out', () => {
    const pictures = Array.from({ length: 300 }, () => passport.pictures[0]!);
    const { pages, text } = pageOf({ pictures });
    expect(pages).toBe(1);
    expect(text).toContain('And 280 more, which the passport as JSON lists.');
  });
});
