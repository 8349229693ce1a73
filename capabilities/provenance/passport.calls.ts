import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { environmentsOf, InEnvironment } from '#operator-calls/input.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { IdField } from '#validation/fields.js';
import { PassportsModule } from './passports.module.js';
import { Passports } from './passports.js';

class JobInEnvironment extends InEnvironment {
  @IdField({ description: 'The job.', required: true })
  job: string;
}

/** The same passport as the tenant gets. */
export const showPassport = defineCall({
  name: 'provenance passport',
  route: 'GET /jobs/:job/passport',
  may: ['read'],
  summary: 'The way from the inputs of a job to its pictures: hashes, order, seal, Content Credentials',
  input: JobInEnvironment,
  features: [PassportsModule],
  async run(operator, { job, env }) {
    for (const environment of environmentsOf(env)) {
      const passport = await operator.get(Passports).of(environment, job);
      if (passport) return passport;
    }
    throw new CallRefused(
      `job ${job} has no passport: it is unknown, has not succeeded, or is a batch, whose photographs have passports`,
      'RESOURCE_NOT_FOUND',
    );
  },
  print: ({ order: { seal, ...order }, inputs, pictures, ...job }) => {
    printProperties([...Object.entries(job), ...Object.entries(order)]);
    if (seal) printProperties(Object.entries(seal).map(([name, value]) => [`seal ${name}`, value]));
    else printLine('No seal covers the order yet.');
    printTable(inputs, {
      input: ({ name }) => name,
      sha256: ({ sha256 }) => sha256,
      state: stateOf,
    });
    printTable(pictures, {
      picture: ({ kind }) => kind,
      sha256: ({ sha256 }) => sha256,
      state: stateOf,
    });
  },
});

const stateOf = ({ available, erased_at: at }: { available: boolean; erased_at: string | null }) =>
  at === null ? (available ? 'there' : 'not in the storage') : `erased ${at}`;
