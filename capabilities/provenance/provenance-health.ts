import { Unwell, type Health } from '#operator-calls/health.js';
import { systemClock } from '#platform/clock.js';
import type { Configuration } from '#platform/configuration.js';
import { lapseOf } from './provenance.key.js';

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
}

function factsOf({ provenance: { certificate, problem, unsigned } }: Settings, now: Date): ProvenanceFacts {
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

function line({ certificate, expires_at: until, untrusted, problem }: ProvenanceFacts): string {
  if (problem !== null) return `not signed, or soon not: ${problem}`;
  const known = untrusted ? ', which verifiers call untrusted: it is the own one of this installation' : '';
  return `signed as ${certificate} until ${until}${known}`;
}

export const provenanceHealth: Health<ProvenanceFacts> = {
  checks: [
    {
      name: 'signatures of pictures',
      advice: 'see docs/provenance.md',
      outside: true,
      look: async (_store, configuration) => judge(configuration),
    },
  ],
  status: async ({ configuration }) => judge(configuration),
  facts: ({ configuration }) => Promise.resolve(factsOf(configuration, systemClock())),
  reasons: ({ problem, unsigned }) =>
    problem === null || unsigned === 'accept'
      ? []
      : [{ env: null, detail: `pictures are not signed, or soon will not be: ${problem}` }],
  line: (facts) => `pictures: ${line(facts)}`,
};
