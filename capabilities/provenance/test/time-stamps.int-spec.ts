import { describe, expect, it, vi } from 'vitest';
import type { Configuration } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { Troubles } from '#platform/troubles.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { newHomeCertificate } from '../home-certificate.js';
import { signPicture, withManifest } from '../manifest.js';
import { statementOf } from '../picture-statement.js';
import { readAuthorities, readClaimSigner } from '../provenance.key.js';
import { readCredentials } from '../read-credentials.js';
import { judgeTime } from '../time-stamped.js';
import { TimeStamps } from '../time-stamps.js';
import { finished, markedPicture, ordered, types } from './support/pictures.js';
import { complaintsAbout, hasReference, manifestOf } from './support/reference.js';
import { hasOpenssl, TimeAuthority } from './support/time-authority.js';

const pem = newHomeCertificate();
const signer = readClaimSigner(pem, pem);

describe.skipIf(!hasOpenssl)('time', async () => {
  const authority = untilEnd(await TimeAuthority.open());
  const trusted = readAuthorities(authority.root);
  function stampsOf(url: string, authorities = trusted) {
    const troubles = new Troubles();
    const warn = vi.fn<(facts: object, message: string) => void>();
    const configuration = { provenance: { timeStamps: { url, authorities } } } as unknown as Configuration;
    const logger = { warn } as unknown as Logger;
    return { stamps: new TimeStamps(configuration, () => new Date(), troubles, logger), troubles, warn };
  }
  it.each(types)('is in %s', async (type) => {
    const { stamps, troubles } = stampsOf(authority.url);
    const picture = finished(await markedPicture(type), type);
    const statement = statementOf(picture, { name: 'Atelier', version: '0.1.0' }, { ordered });
    const plain = withManifest(picture.bytes, type, statement, signer);
    const bytes = await stamps.stamped(
      (room) => signPicture(picture.bytes, type, statement, signer, room),
      signer.certificate,
    );
    expect(troubles.current).toEqual({});
    const read = readCredentials(bytes!)!;
    expect(read.problems).toEqual([]);
    console.log(
      await judgeTime(read, trusted, new Date()),
      bytes!.length - picture.bytes.length,
      plain.length - picture.bytes.length,
    );
    if (hasReference) {
      console.log(await complaintsAbout(bytes!), (await manifestOf(bytes!)).signature_info);
    }
  });
});
