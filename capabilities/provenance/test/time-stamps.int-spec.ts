import { decode, encode, Tagged } from 'cborg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Configuration } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { Troubles } from '#platform/troubles.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { checkSignature, leniently } from '../claim-signature.js';
import { newHomeCertificate } from '../home-certificate.js';
import { countersigned, signPicture, withManifest } from '../manifest.js';
import { statementOf } from '../picture-statement.js';
import { lapseOf, readAuthorities, readClaimSigner } from '../provenance.key.js';
import { readCredentials } from '../read-credentials.js';
import { judgeTime } from '../time-stamped.js';
import { judgeToken, readAnswer, requestFor } from '../time-stamp-token.js';
import { TimeStamps } from '../time-stamps.js';
import { finished, inputs, markedPicture, ordered, types } from './support/pictures.js';
import { complaintsAbout, hasReference, manifestOf } from './support/reference.js';
import { hasOpenssl, honest, TimeAuthority } from './support/time-authority.js';

const pem = newHomeCertificate();
const signer = readClaimSigner(pem, pem);
const generator = { name: 'Atelier', version: '0.1.0' };
const inTwentyYears = new Date(Date.now() + 20 * 366 * 86_400_000);

type Type = (typeof types)[number];

/** A picture that is ready to be signed. */
async function unsigned(type: Type) {
  const picture = { ...finished(await markedPicture(type), type), inputs };
  const statement = statementOf(picture, generator, { ordered });
  return {
    bytes: picture.bytes,
    sign: (roomBytes: number) => signPicture(picture.bytes, type, statement, signer, roomBytes),
    plain: () => withManifest(picture.bytes, type, statement, signer),
  };
}

describe.skipIf(!hasOpenssl)('an authority of time', async () => {
  const authority = untilEnd(await TimeAuthority.open());
  const other = untilEnd(await TimeAuthority.open(['rsa:2048']));
  const trusted = readAuthorities(authority.root);
  afterEach(() => {
    for (const each of [authority, other]) Object.assign(each, { answers: honest, asked: 0 });
  });

  function worker({ url = authority.url, authorities = trusted, certificate = signer.certificate } = {}) {
    const troubles = new Troubles();
    const logger = { warn: vi.fn() } as unknown as Logger;
    const configuration = { provenance: { timeStamps: { url, authorities } } } as unknown as Configuration;
    const stamps = new TimeStamps(configuration, () => new Date(), troubles, logger);
    return {
      trouble: () => troubles.current['time-stamps'],
      stamped: async (type: Type = 'image/png') => stamps.stamped((await unsigned(type)).sign, certificate),
    };
  }

  describe.each(types)('stamps %s', (type) => {
    it('with a time that is trusted, in a picture that is what was signed', async () => {
      const from = Math.floor(Date.now() / 1_000) * 1_000;
      const { stamped, trouble } = worker();
      const read = readCredentials((await stamped(type))!)!;
      expect(read.problems).toEqual([]);
      expect(trouble()).toBeUndefined();
      const { timeStamp, expired } = await judgeTime(read, trusted, new Date());
      expect(timeStamp).toMatchObject({ status: 'timeStamp.trusted', authority: 'O=Test, CN=Time of test' });
      expect(timeStamp!.time!.getTime()).toBeGreaterThanOrEqual(from);
      expect(expired).toBe(false);
    });

    it.skipIf(!hasReference)(
      'so that the reference validator calls them valid, and tells the time',
      async () => {
        const bytes = (await worker().stamped(type))!;
        expect(await complaintsAbout(bytes)).toEqual([]);
        const { timeStamp } = await judgeTime(readCredentials(bytes)!, [], new Date());
        const { time } = (await manifestOf(bytes)).signature_info;
        expect(new Date(time!)).toEqual(timeStamp!.time);
      },
    );
  });

  it('is asked twice for the first picture, which shows how long tokens are, and then once for each', async () => {
    const { stamped } = worker();
    const asked = [];
    for (const type of [...types, ...types]) {
      expect(await stamped(type)).toBeDefined();
      asked.push(authority.asked);
    }
    expect(asked).toEqual(asked.map((_, index) => index + 2));
  });

  it('adds less than 5 kB', async () => {
    const { stamped } = worker({ url: other.url, authorities: readAuthorities(other.root) });
    await stamped();
    const [bytes, { plain }] = [(await stamped())!, await unsigned('image/png')];
    expect(bytes.length - plain().length).toBeLessThan(5_000);
  });

  const nonce = Buffer.from('400102030405060708', 'hex');
  it.each<[string, RegExp, TimeAuthority['answers']]>([
    ['answers with an error', /HTTP 500/, () => Promise.resolve(500)],
    ['refuses', /it refuses with status 2/, () => Promise.resolve(Buffer.from('30053003020102', 'hex'))],
    ['sends no answer', /no time-stamp/, () => Promise.resolve(Buffer.alloc(0))],
    ['sends noise', /no time-stamp/, () => Promise.resolve(Buffer.from('<html>Sign in</html>'))],
    ['sends too much', /more than 16384 bytes/, () => Promise.resolve(Buffer.alloc(5_000_000, 0x30))],
    ['stamps other bytes', /timeStamp.mismatch/, (_, reply) => reply(requestFor(Buffer.from('x'), nonce))],
    [
      'answers an older request',
      /another request/,
      async (query, reply) => {
        // The nonce of requests is the last number in them.
        const replayed = Buffer.from(query);
        replayed[replayed.lastIndexOf(nonce[0]!) + 5]! ^= 1;
        return reply(replayed);
      },
    ],
    [
      'signs wrongly',
      /timeStamp.mismatch/,
      async (query, reply) => {
        const answer = await reply(query);
        answer[answer.length - 1]! ^= 1;
        return answer;
      },
    ],
    ['is another', /timeStamp.untrusted, signed by O=Test.*ATELIER_PROVENANCE_TSA_CERT/, honest],
    [
      'leads elsewhere',
      /gives no answer/,
      (_query, _reply, response) => {
        response.writeHead(302, { location: authority.url }).end();
        return Promise.resolve(undefined);
      },
    ],
  ])('that %s leaves the picture without a time-stamp, and the worker says why', async (how, why, answer) => {
    const asked = how === 'is another' ? other : authority;
    asked.answers = answer;
    const { stamped, trouble } = worker({ url: asked.url });
    expect(await stamped()).toBeUndefined();
    expect(trouble()).toMatch(/^pictures have no time-stamp, last tried \S+Z: 127\.0\.0\.1:\d+: /);
    expect(trouble()).toMatch(why);
  });

  it.each<[string, TimeAuthority['answers']]>([
    ['does not answer', () => Promise.resolve(undefined)],
    [
      'sends a byte at a time',
      (_query, _reply, response) => {
        const trickle = setInterval(() => response.write('0'), 100);
        response.on('close', () => clearInterval(trickle));
        return Promise.resolve(undefined);
      },
    ],
  ])('that %s is waited for no longer than three seconds', async (_, answer) => {
    authority.answers = answer;
    const { stamped, trouble } = worker();
    const began = performance.now();
    expect(await stamped()).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(6_000);
    expect(trouble()).toContain('does not answer within 3 s');
  });

  it('whose clock is wrong would make a picture invalid, so its time-stamp is left out', async () => {
    const certificate = { ...signer.certificate, notAfter: new Date('2026-01-01T00:00:00Z') };
    const { stamped, trouble } = worker({ certificate });
    expect(await stamped()).toBeUndefined();
    expect(trouble()).toMatch(/its clock says .* expired on 2026-01-01/);
  });

  it('that the operator has named no certificate of is taken as it is, and called untrusted', async () => {
    const bytes = await worker({ authorities: [] }).stamped();
    const { timeStamp } = await judgeTime(readCredentials(bytes!)!, [], new Date());
    expect(timeStamp).toMatchObject({ status: 'timeStamp.untrusted', authority: 'O=Test, CN=Time of test' });
  });

  it('is not trusted if a certificate on the way to the root may only issue those of servers', async () => {
    const astray = untilEnd(await TimeAuthority.open(undefined, 'serverAuth'));
    const { stamped, trouble } = worker({ url: astray.url, authorities: readAuthorities(astray.root) });
    expect(await stamped()).toBeUndefined();
    expect(trouble()).toContain('timeStamp.untrusted');
  });

  it.each([
    ['signatures', ''],
    ['authority key identifier', 'keyUsage=digitalSignature\nauthorityKeyIdentifier=none'],
  ])('whose certificate C2PA does not allow would make a picture invalid: no %s', async (what, own) => {
    const unfit = untilEnd(await TimeAuthority.open(undefined, undefined, own));
    for (const authorities of [[], readAuthorities(unfit.root)]) {
      const { stamped, trouble } = worker({ url: unfit.url, authorities });
      expect(await stamped()).toBeUndefined();
      expect(trouble()).toMatch(new RegExp(`C2PA does not allow its certificate, O=Test.*${what}`));
    }
  });

  it('that is dead rests after two pictures, and a single one shows that it is back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      authority.answers = () => Promise.resolve(503);
      const { stamped, trouble } = worker();
      for (let picture = 0; picture < 5; picture++) expect(await stamped()).toBeUndefined();
      expect(authority.asked).toBe(2);
      expect(trouble()).toContain('HTTP 503');
      authority.answers = honest;
      vi.advanceTimersByTime(30_000);
      expect(await stamped()).toBeDefined();
      expect(trouble()).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('whose tokens differ in length is asked twice, and then has room for the longest', async () => {
    // Those of RSA are longer.
    const next = [authority, other, authority, other];
    authority.answers = (query) => next.shift()!['reply'](query);
    const { stamped, trouble } = worker({ authorities: [...trusted, ...readAuthorities(other.root)] });
    expect(await stamped()).toBeUndefined();
    expect(trouble()).toContain('a longer token each time');
    const pictures = [(await stamped('image/jpeg'))!, (await stamped('image/jpeg'))!];
    expect(authority.asked).toBe(4);
    for (const bytes of pictures) {
      const read = readCredentials(bytes)!;
      expect(read.problems).toEqual([]);
      expect(await judgeTime(read, [], new Date())).toMatchObject({
        timeStamp: { status: 'timeStamp.untrusted' },
      });
      if (hasReference) expect(await complaintsAbout(bytes)).toEqual([]);
    }
  });

  describe('in a picture that is read later', () => {
    const stampedPicture = async () => readCredentials((await worker().stamped())!)!;

    it('shows that a certificate which has expired since was valid', async () => {
      const read = await stampedPicture();
      expect(lapseOf(read.signedBy!, inTwentyYears)).toBeDefined();
      expect(await judgeTime(read, trusted, inTwentyYears)).toMatchObject({ expired: false });
      expect(await judgeTime(read, [], inTwentyYears)).toMatchObject({ expired: true });
      const { plain } = await unsigned('image/png');
      const without = await judgeTime(readCredentials(plain())!, trusted, inTwentyYears);
      expect(without).toEqual({ timeStamp: null, expired: true });
    });

    it('confirms nothing beside another signature', async () => {
      const [one, two] = [await stampedPicture(), await stampedPicture()];
      const moved = { ...two, stamp: { token: one.stamp!.token, stamped: Buffer.from('other') } };
      expect(await judgeTime(moved, trusted, new Date())).toMatchObject({
        timeStamp: { status: 'timeStamp.mismatch' },
      });
    });

    it('confirms no other time and no other bytes, whichever of its own bytes is changed', async () => {
      const { token, stamped } = (await stampedPicture()).stamp!;
      const { time } = judgeToken(token, stamped, trusted);
      const found = new Set<string>();
      for (let at = 0; at < token.length; at += 3) {
        const changed = Buffer.from(token);
        changed[at]! ^= 1;
        const judged = judgeToken(changed, stamped, trusted);
        found.add(judged.status);
        if (judged.status === 'timeStamp.trusted') expect(judged.time).toEqual(time);
      }
      expect([...found]).toEqual(expect.arrayContaining(['timeStamp.mismatch', 'timeStamp.malformed']));
      for (const length of [0, 1, 40, token.length - 1])
        expect(judgeToken(token.subarray(0, length), stamped, trusted).status).toBe('timeStamp.malformed');
    });

    it('is read in the older form as well, which stamps the claim', async () => {
      const { plain } = await unsigned('image/png');
      const store = readCredentials(plain())!.store;
      const at = store.indexOf(Buffer.from('d28459', 'hex'));
      const [head, , , signature] = (decode(store.subarray(at), leniently) as Tagged).value as Uint8Array[];
      const claim = Buffer.from('a claim');
      const answer = await authority['reply'](requestFor(countersigned(head!, claim), nonce));
      const stamped = countersigned(head!, claim);
      expect(readAnswer(answer, { stamped, nonce }, trusted)).toMatchObject({ hasNonce: true });
      const open = { sigTst: { tstTokens: [{ val: answer }] } };
      const { stamp } = checkSignature(
        Buffer.from(encode(new Tagged(18, [head, open, null, signature]))),
        claim,
      );
      const { timeStamp } = await judgeTime({ stamp, signedBy: null }, trusted, new Date());
      expect(timeStamp).toMatchObject({ status: 'timeStamp.trusted' });
    });
  });
});
