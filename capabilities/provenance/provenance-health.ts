import { randomBytes } from 'node:crypto';
import { Unwell, type Health, type HealthSources } from '#operator-calls/health.js';
import { systemClock } from '#platform/clock.js';
import type { Configuration } from '#platform/configuration.js';
import { readSignsOfLife, type SeenProcess } from '#read-store/signs-of-life.js';
import { lapseOf } from './provenance.key.js';
import { askAuthority, missingTimeStamps } from './time-stamp-authority.js';

type Settings = Pick<Configuration, 'provenance'>;

/** Certificates take days to get, so the warning comes in time for that. */
const warnBeforeMs = 30 * 24 * 60 * 60_000;

/** The part of the report of `atelier now`; the names are stable. */
export interface ProvenanceFacts {
  /** Null: this installation has none, as far as this process can see. */
  readonly certificate: string | null;
  readonly expires_at: string | null;
  /** Verifiers do not know who signed. */
  readonly untrusted: boolean;
  /** Why pictures cannot be signed, or will soon not be. */
  readonly problem: string | null;
  /** Whether callers get pictures that are not signed, or none. */
  readonly unsigned: 'refuse' | 'accept';
  /** Of each worker whose newest picture has no time-stamp: why. */
  readonly without_time_stamp: readonly string[];
}

type SigningFacts = Omit<ProvenanceFacts, 'without_time_stamp'>;

function factsOf({ provenance: { certificate, problem, unsigned } }: Settings, now: Date): SigningFacts {
  return {
    certificate: certificate?.subject ?? null,
    expires_at: certificate?.notAfter.toISOString() ?? null,
    untrusted: certificate?.isHomeMade ?? false,
    problem:
      problem ?? (certificate ? problemOf(certificate, now) : 'ATELIER_PROVENANCE_CERT is not set') ?? null,
    unsigned,
  };
}

function problemOf(
  certificate: NonNullable<Settings['provenance']['certificate']>,
  now: Date,
): string | undefined {
  const lapse = lapseOf(certificate, now);
  if (lapse !== undefined) return `the certificate ${lapse}`;
  if (certificate.notAfter.getTime() - now.getTime() > warnBeforeMs) return undefined;
  return `the certificate expires on ${certificate.notAfter.toISOString()}`;
}

/** @throws Unwell if workers refuse to make pictures that they cannot sign */
function judge(settings: Settings): Promise<string> {
  const facts = factsOf(settings, systemClock());
  if (facts.problem !== null && facts.unsigned === 'refuse')
    throw new Unwell(
      `pictures are not signed, or soon will not be: ${facts.problem}`,
      'give the workers a valid certificate with its key, and the other processes the certificate (docs/provenance.md)',
    );
  return Promise.resolve(line(facts));
}

function line({ certificate, expires_at: until, untrusted, problem }: SigningFacts): string {
  if (problem !== null) return `not signed, or soon not: ${problem}`;
  const known = untrusted ? ', which verifiers call untrusted: it is the own one of this installation' : '';
  return `signed as ${certificate} until ${until}${known}`;
}

/** A process that is silent has other troubles. */
function withoutTimeStamp(seen: readonly Pick<SeenProcess, 'silent' | 'troubles'>[]): string[] {
  return seen.flatMap(({ silent, troubles: { [missingTimeStamps]: trouble } }) =>
    silent || trouble === undefined ? [] : [trouble],
  );
}

async function judgeAuthority({ provenance: { timeStamps } }: Settings): Promise<string> {
  const { url, authorities } = timeStamps;
  if (url === undefined) return 'ATELIER_PROVENANCE_TSA_URL is not set: pictures have no time-stamp';
  const { stamp } = await askAuthority(url, randomBytes(32), authorities);
  const known =
    stamp.status === 'timeStamp.trusted' ? '' : ', untrusted: ATELIER_PROVENANCE_TSA_CERT is not set';
  return `${stamp.authority} answers, ${stamp.time?.toISOString()}${known}`;
}

async function nowOf({ configuration, database }: HealthSources): Promise<ProvenanceFacts> {
  const seen = await readSignsOfLife(database);
  return { ...factsOf(configuration, systemClock()), without_time_stamp: withoutTimeStamp(seen) };
}

export const provenanceHealth: Health<ProvenanceFacts> = {
  checks: [
    {
      name: 'signatures of pictures',
      advice: 'see docs/provenance.md',
      outside: true,
      look: async (_store, configuration) => judge(configuration),
    },
    {
      name: 'time-stamps of pictures',
      advice: 'pictures go without until the authority answers, see docs/provenance.md',
      outside: true,
      look: async (_store, configuration) => judgeAuthority(configuration),
    },
  ],
  status: async ({ configuration }) => judge(configuration),
  facts: nowOf,
  reasons: ({ problem, unsigned, without_time_stamp: stampless }) =>
    [
      ...(problem === null || unsigned === 'accept'
        ? []
        : [`pictures are not signed, or soon will not be: ${problem}`]),
      ...stampless,
    ].map((detail) => ({ env: null, detail })),
  line: ({ without_time_stamp: stampless, ...facts }) =>
    ['pictures: ' + line(facts), ...stampless].join('; '),
};
