import { Argument, Option, type Command } from 'commander';
import {
  capabilities,
  credits,
  duration,
  environmentOption,
  purchaseKindOption,
  reasonOption,
  shortText,
  tenantOption,
  time,
  topics,
  ulid,
  wholeNumber,
} from './arguments.js';
import { jobFailureCodes } from '#domain/job/job.events.js';
import { webhookTopics } from '#domain/webhook/webhook.js';
import { operatorRoles } from '#domain/operator/operator.events.js';
import { lazily, verb } from './verb.js';

// What the operator can type. Each verb names the module that does it, which is loaded when the verb is called.

/**
 * The action of a verb that is a call of the operator's API: a client of it where a service runs, and on the database
 * alone elsewhere. See `call.ts`.
 */
function asks<Name extends string>(
  load: () => Promise<Readonly<Record<Name, unknown>>>,
  name: Name,
): (...args: unknown[]) => Promise<void> {
  const ready = async () => {
    const [calls, { ask }] = await Promise.all([load(), import('./ask.js')]);
    // Whoever names it here has declared it with `defineCall`.
    return { run: (...args: unknown[]) => ask(calls[name] as Parameters<typeof ask>[0], args) };
  };
  return lazily(ready, 'run');
}

const everywhere = 'only in this environment';
const only = 'only this environment';

export function addTenants(program: Command): void {
  const actions = () => import('./tenants/tenants.js');
  const tenants = program.command('tenants').description('the customers, and their accounts');
  const tenant = ['<tenant>', 'id of the tenant', ulid] as const;
  const plan = ['--plan <plan>', 'name of the plan', shortText(1, 64)] as const;
  const dailyCap = [
    '--daily-cap <credits>',
    'most that is spent in 24 hours; 0: no cap',
    credits(0),
  ] as const;
  const rateLimit = ['--rate-limit <n>', 'requests a minute, per key', wholeNumber(1, 1_000_000)] as const;

  verb(tenants, 'create', 'open an account, in both environments unless --env says which')
    .requiredOption('--name <name>', 'name of the customer', shortText(1, 128))
    .requiredOption('--credits <n>', 'credits to begin with, in each', credits(0))
    .option(...plan)
    .option(...dailyCap)
    .option(...rateLimit)
    .addOption(environmentOption('open the account in this environment only'))
    .action(asks(actions, 'createTenant'));

  verb(tenants, 'list', 'the tenants, the latest first')
    .option('--search <text>', 'a part of the name or of the id', shortText(1, 128))
    .option('--limit <n>', 'how many', wholeNumber(1, 200), 50)
    .option('--offset <n>', 'how many to pass over', wholeNumber(0, 1_000_000), 0)
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'listTenants'));

  verb(tenants, 'show', 'balances and terms of a tenant')
    .argument(...tenant)
    .action(asks(actions, 'showTenant'));

  verb(tenants, 'plan', 'change the terms of a tenant; what is not named stays as it is')
    .argument(...tenant)
    .option(...plan)
    .option(...dailyCap)
    .option(
      '--monthly-quota <credits>',
      'credits that the plan means for a month; 0: pay as you go',
      credits(0),
    )
    .option(...rateLimit)
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'changeTenantTerms'));

  verb(tenants, 'suspend', 'refuse the dispatches of a tenant; reading goes on')
    .argument(...tenant)
    .addOption(reasonOption('suspended by the operator'))
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'suspendTenant'));

  verb(tenants, 'reactivate', 'accept the dispatches of a suspended tenant again')
    .argument(...tenant)
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'reactivateTenant'));
}

export function addCredits(program: Command): void {
  const actions = () => import('./tenants/credits.js');
  const credit = program.command('credits').description('what tenants may spend');
  const ofAccount = (name: string, about: string) =>
    verb(credit, name, about)
      .addOption(tenantOption())
      .addOption(environmentOption().makeOptionMandatory())
      .requiredOption('--amount <credits>', 'how many', credits(1));
  const ofGrant = (name: string, about: string) =>
    verb(credit, name, about)
      .argument('<grant>', 'id of the grant, as `credits grants` lists it', ulid)
      .addOption(environmentOption().makeOptionMandatory());

  ofAccount('grant', 'add credits to a balance, as a purchase in the ledger')
    .addOption(purchaseKindOption().makeOptionMandatory())
    .requiredOption('--label <text>', 'what the ledger says about it', shortText(1, 128))
    .option(
      '--reference <text>',
      'what the payment is called where it was made: it is credited once',
      shortText(1, 128),
    )
    .action(asks(actions, 'grantTenantCredits'));

  ofAccount('correct', 'take credits back that should not have been granted; never below 0')
    .requiredOption('--reason <text>', 'why, for the ledger', shortText(1, 128))
    .action(asks(actions, 'correctTenantCredits'));

  verb(credit, 'grants', 'who granted what, and what waits for a second operator')
    .addOption(new Option('--status <status>', 'only those').choices(['proposed', 'approved', 'declined']))
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'listGrants'));

  ofGrant('approve', 'add the credits that another operator has proposed').action(
    asks(actions, 'approveCredits'),
  );

  ofGrant('decline', 'refuse a grant that was proposed, or take an own one back')
    .requiredOption('--reason <text>', 'why, for the record', shortText(1, 200))
    .action(asks(actions, 'declineCredits'));
}

export function addOperators(program: Command): void {
  const actions = () => import('./operators/operators.js');
  const operators = program.command('operators').description("who may use the operator's API");
  const name = [
    '<name>',
    'of the operator, for example ada or ada@atelier.example',
    shortText(1, 64),
  ] as const;

  verb(operators, 'add', 'let a person in; the token is shown this once and stored only as a hash')
    .argument(...name)
    .addOption(new Option('--role <role>', 'what they may do').choices(operatorRoles).makeOptionMandatory())
    .option('--expires <time>', 'how long they may: 12h, 90d', duration(3_660), 90 * 86_400_000)
    .option('--no-token', 'they come with the login of your organisation')
    .action(asks(actions, 'addAnOperator'));

  verb(operators, 'revoke', 'take the access of an operator away, from the next request on')
    .argument(...name)
    .addOption(reasonOption('revoked by the operator'))
    .action(asks(actions, 'revokeAnOperator'));

  verb(operators, 'list', 'who may ask, and what').action(asks(actions, 'listAllOperators'));

  verb(program, 'actions', 'what operators did: who, when, what, and how it ended')
    .option('--by <name>', 'only those of this operator', shortText(1, 64))
    .option(
      '--action <verb>',
      'only this verb, or all of a noun: "credits grant", operations',
      shortText(1, 64),
    )
    .option('--from <time>', 'from this time on, for example 2026-01-01T00:00:00Z')
    .option('--limit <n>', 'how many, the latest first', wholeNumber(1, 1_000), 100)
    .action(asks(actions, 'listActions'));
}

export function addKeys(program: Command): void {
  const actions = () => import('./keys/keys.js');
  const keys = program.command('keys').description('API keys');
  const key = ['<key>', 'id of the key, as `keys list` shows it', ulid] as const;

  verb(keys, 'issue', 'make a key; it is shown this once and stored only as a hash')
    .addOption(tenantOption())
    .addOption(environmentOption('environment that the key opens').makeOptionMandatory())
    .requiredOption('--capabilities <list>', 'jobs:create, jobs:read or both, with a comma', capabilities)
    .option('--label <text>', 'what it is for', shortText(0, 128), '')
    .addOption(
      new Option(
        '--require-signature [form]',
        'refuse its requests unless they are signed; timed: unless the signature also names its time',
      ).choices(['timed']),
    )
    .action(asks(actions, 'issueTenantKey'));

  verb(keys, 'rotate', 'make a successor that may do the same; the old key goes on for a while')
    .argument(...key)
    .option(
      '--overlap <time>',
      'how long the old one goes on: 0, 90s, 15m, 24h, 7d',
      duration(90),
      86_400_000,
    )
    .action(asks(actions, 'rotateTenantKey'));

  verb(keys, 'signing-secret', 'what the client of a key signs its requests with')
    .argument(...key)
    .action(asks(actions, 'showSigningSecret'));

  verb(keys, 'list', "a tenant's keys, those that retire or are revoked included")
    .addOption(tenantOption())
    .addOption(environmentOption('only those of this environment'))
    .action(asks(actions, 'listTenantKeys'));

  verb(keys, 'revoke', 'make a key invalid, for good')
    .argument(...key)
    .addOption(reasonOption('revoked by the operator'))
    .action(asks(actions, 'revokeTenantKey'));
}

export function addLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('what the credits are, and that they are what they must be');
  const tenant = (description: string) => new Option('--tenant <id>', description).argParser(ulid);

  verb(
    ledger,
    'audit',
    'check all that must hold, against history and row for row; exit code 0 only if all does',
  )
    .addOption(environmentOption(only))
    .addOption(tenant('only what is of this tenant'))
    .option(
      '--at <time|position>',
      'history up to then, and no read models: a time such as 2026-01-31T12:00:00Z, or a position of the log',
    )
    .option(
      '--horizon <time>',
      'how long a charge may stay open that should be closed, for example 5m; without it a minute more than the orphan horizon',
      duration(7),
    )
    .option('--against <file>', 'the log must hold the seals of this file, as they were exported')
    .action(asks(() => import('./ledger/audit-ledger.js'), 'auditLedger'));

  const proofs = () => import('./seals/proofs.js');
  verb(ledger, 'prove', 'a proof, as JSON, that one line of a ledger is in the log as it was sealed')
    .requiredOption('--transaction <id>', 'of the charge or the purchase, as /v1/transactions lists it')
    .option('--refund', 'the refund of this charge, in place of the charge')
    .addOption(environmentOption(only))
    .action(asks(proofs, 'proveTransaction'));

  verb(ledger, 'verify-proof', 'check a proof; needs no service and no network')
    .argument('<file>', 'what "ledger prove" printed')
    .requiredOption('--key <key>', 'the public key, as "seal key" prints it, or a file that holds it')
    .action(lazily(proofs, 'verifyProof'));

  verb(ledger, 'export', 'the movements of every account, with opening and closing balance')
    .addOption(environmentOption(only))
    .addOption(tenant('only the account of this tenant'))
    .option('--csv', 'comma-separated values, with a header')
    .option('--from <time>', 'from this time on, inclusive, for example 2026-01-01T00:00:00Z')
    .option('--to <time>', 'up to this time, exclusive')
    .action(asks(() => import('./ledger/export-ledger.js'), 'exportLedger'));

  verb(ledger, 'show', 'the balance and the ledger of a tenant, now or at any moment that was')
    .addOption(tenantOption())
    .addOption(environmentOption(only))
    .option('--at <time|revision>', 'as of then: a time, or a revision of the account')
    .option('--position <position>', 'as of this position of the log')
    .action(asks(() => import('./ledger/show-ledger.js'), 'showLedger'));
}

export function addSeals(program: Command): void {
  const actions = () => import('./seals/seals.js');
  const seal = program.command('seal').description('the signatures under the history');

  verb(seal, 'key', 'the public half of the key that seals').action(lazily(actions, 'showSealKey'));

  verb(seal, 'list', 'the seals under the history, the latest first')
    .option('--limit <n>', 'how many', wholeNumber(1, 200), 50)
    .option('--before <number>', 'only seals before this one', wholeNumber(1, 2 ** 31))
    .action(asks(actions, 'listSeals'));

  verb(seal, 'export', 'the last seal, on one line: keep it where nobody who has the store can write')
    .option('--all', 'every seal, one a line')
    .action(asks(actions, 'exportSeals'));

  verb(seal, 'accept', 'after a restore: let sealing go on from where the log ends, although more was sealed')
    .requiredOption(
      '--reason <text>',
      'why less is sealed now: which backup was restored, or where the log was moved',
    )
    .action(lazily(() => import('./seals/heads.js'), 'acceptLog'));

  verb(seal, 'rotate', 'make a key that may go on in place of the one that seals now')
    .requiredOption('--output <file>', 'a new file for the new private key')
    .option('--lost <public key>', 'the old key, where it is lost and cannot sign: the audit will tell')
    .action(lazily(actions, 'rotateSealKey'));
}

export function addObjects(program: Command): void {
  const objects = program.command('objects').description('the bytes of pictures');
  verb(
    objects,
    'audit',
    'read every picture that history names, and compare it with its digest; exit code 0 only if all are whole',
  )
    .addOption(environmentOption(only))
    .action(asks(() => import('./objects/audit-objects.js'), 'auditObjects'));

  verb(
    objects,
    'accept-loss',
    'write down that a picture is gone for good, so that the audit holds without it',
  )
    .argument('<asset>', 'its asset_id', ulid)
    .addOption(environmentOption().makeOptionMandatory())
    .requiredOption('--reason <text>', 'why it is gone, for the record')
    .action(asks(() => import('./objects/accept-loss.js'), 'acceptLoss'));
}

export function addOperations(program: Command): void {
  const actions = () => import('./operations/operations.js');
  const operations = program.command('operations').description('what can be dispatched, and what it costs');
  const names: Argument[] = [];
  const name = () => {
    const argument = new Argument('<name>', 'name of the workflow');
    names.push(argument);
    return argument;
  };
  // Their declarations bring the rules of their bodies along: only these verbs wait for them.
  operations.hook('preSubcommand', async () => {
    const { workflows } = await import('#workflows/workflows.js');
    for (const argument of names) argument.choices(workflows.map((workflow) => workflow.name));
  });

  verb(operations, 'list', 'every workflow as it is now')
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'listAllOperations'));

  verb(operations, 'price', 'what a dispatch costs from now on; charges that were made stay what they are')
    .addArgument(name())
    .argument('<credits>', 'how many', credits(1))
    .option('--from <time>', 'not now, but from this time on, for example 2027-01-01T00:00:00Z')
    .addOption(reasonOption('priced by the operator'))
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'setPrice'));

  verb(operations, 'withdraw-price', 'take a price back that was scheduled for a time to come')
    .addArgument(name())
    .requiredOption('--from <time>', 'the time that it was scheduled for')
    .addOption(reasonOption('withdrawn by the operator'))
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'withdrawPrice'));

  verb(operations, 'enable', 'let it be dispatched again')
    .addArgument(name())
    .addOption(reasonOption('enabled by the operator'))
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'enable'));

  verb(operations, 'disable', 'refuse its dispatches; jobs that are under way go on')
    .addArgument(name())
    .addOption(reasonOption('disabled by the operator'))
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'disable'));
}

export function addPresets(program: Command): void {
  const actions = () => import('./presets/presets.js');
  const presets = program.command('presets').description('models, backgrounds and shots to choose from');

  verb(presets, 'publish', "a preset of your own from a file, or with --all this release's own")
    .argument('[file]', 'JSON: {id?, kind, label, spec, image}; image is the path of a JPEG beside it')
    .option('--all', 'those that come with this release, also the ones that were retired')
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'publishPresets'));

  verb(presets, 'list', 'every preset, retired ones included')
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'listAllPresets'));

  verb(presets, 'retire', 'take a preset out of use; jobs that were queued with it still render')
    .argument('<id>', 'id of the preset, as `presets list` shows it', ulid)
    .addOption(reasonOption('retired by the operator'))
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'retireOwnPreset'));
}

export function addCatalog(program: Command): void {
  const actions = () => import('./catalog.js');
  const catalog = program.command('catalog').description("what tenants' jobs have made for further pictures");
  const environment = () => environmentOption().makeOptionMandatory();

  verb(catalog, 'list', 'every entry of a tenant, retired ones included')
    .addOption(tenantOption())
    .addOption(environment())
    .action(asks(actions, 'listCatalog'));

  verb(catalog, 'retire', 'take an entry out of the catalogue; jobs that were queued with it still render')
    .argument('<id>', 'id of the entry, as `catalog list` shows it', ulid)
    .addOption(tenantOption())
    .addOption(environment())
    .addOption(reasonOption('retired by the operator'))
    .action(asks(actions, 'retireCatalogEntry'));
}

export function addOrphans(program: Command): void {
  const actions = () => import('./ledger/orphans.js');
  const orphans = program
    .command('orphans')
    .description('open charges whose job never came, or has ended; the projector closes them by itself');
  const horizon = [
    '--horizon <time>',
    'how old they must be, such as 90s or 15m (default: ATELIER_ORPHAN_HORIZON_MS, or 60s)',
    duration(7),
  ] as const;

  verb(orphans, 'list', 'open charges that are older than the horizon and have no job, or one that has ended')
    .option(...horizon)
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'listOrphans'));

  verb(orphans, 'sweep', 'give back those without a job, once it is fenced off, and close the others, now')
    .option(...horizon)
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'sweepNow'));
}

export function addJobs(program: Command): void {
  const actions = () => import('./jobs/stranded-jobs.js');
  const looking = () => import('./jobs/jobs.js');
  const jobs = program.command('jobs').description('what was dispatched, and what became of it');

  verb(jobs, 'list', 'jobs across tenants, the latest first')
    .addOption(new Option('--tenant <id>', 'only those of this tenant').argParser(ulid))
    .addOption(
      new Option('--status <status>', 'only those').choices([
        ...['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'],
      ]),
    )
    .option('--workflow <name>', 'only those of this workflow')
    .option('--model <id>', 'only those of this image model')
    .option('--error <code>', 'only those that failed with this code')
    .option('--from <time>', 'dispatched from this time on, for example 2026-01-01T00:00:00Z')
    .option('--to <time>', 'dispatched before this time')
    .option('--limit <n>', 'how many', wholeNumber(1, 200), 50)
    .option('--offset <n>', 'how many to pass over', wholeNumber(0, 1_000_000), 0)
    .addOption(environmentOption(everywhere))
    .action(asks(looking, 'listJobs'));

  verb(jobs, 'find', 'the jobs that any id leads to')
    .argument('<id>', "of a job, request, charge, picture, webhook delivery, or a vendor's own")
    .action(asks(looking, 'findJobs'));

  verb(jobs, 'show', "one job's whole story")
    .argument('<job>', 'id of the job', ulid)
    .action(asks(looking, 'showJob'));

  verb(jobs, 'rows', 'what the read models say about a job, folded from its events')
    .argument('<job>', 'id of the job', ulid)
    .option('--position <position>', 'as of this position of the log')
    .action(asks(() => import('./jobs/rows-of-job.js'), 'showRowsOfJob'));

  addPictures(program, jobs);
  addRepairs(jobs);

  verb(jobs, 'stranded', 'jobs that have not ended and have neither a task nor a running attempt')
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'listStranded'));

  verb(jobs, 'requeue', 'give stranded jobs their task again, now; a task that is there stays as it is')
    .argument('[job...]', 'only these jobs; without any, all that are stranded')
    .option('--dry-run', 'say what would be done, and do nothing')
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'requeueJobs'));
}

function addPictures(program: Command, jobs: Command): void {
  const pictures = () => import('./pictures/pictures.js');
  verb(jobs, 'pictures', 'what a job was given and what it made, with URLs that expire')
    .argument('<job>', 'id of the job', ulid)
    .action(asks(pictures, 'showPictures'));

  verb(program.command('pictures').description('what jobs have made'), 'list', 'the latest first')
    .addOption(new Option('--tenant <id>', 'only those of this tenant').argParser(ulid))
    .option('--workflow <name>', 'only those of this workflow')
    .option('--model <id>', 'only those of this image model')
    .option('--limit <n>', 'how many jobs', wholeNumber(1, 200), 50)
    .option('--offset <n>', 'how many to pass over', wholeNumber(0, 1_000_000), 0)
    .addOption(environmentOption(everywhere))
    .action(asks(pictures, 'listPictures'));
}

function addRepairs(jobs: Command): void {
  const repairs = () => import('./jobs/repair-jobs.js');
  const several = (name: string, about: string) =>
    verb(jobs, name, about)
      .argument('<jobs...>', 'ids of the jobs')
      .option('--confirm', 'do it; without, nothing is done and you see what would be');

  several('cancel', 'end jobs before they are done, and give back what they cost').action(
    asks(repairs, 'cancelJobs'),
  );

  several('fail', 'end jobs whose attempt hangs as failed, and give back what they cost')
    .addOption(new Option('--code <code>', 'what their caller is told').choices(jobFailureCodes))
    .option('--message <text>', 'what their caller reads', shortText(1, 200))
    .action(asks(repairs, 'failJobs'));

  several('retry', 'dispatch what failed or was cancelled anew, at the price of now')
    .option('--succeeded', 'also what succeeded, which is charged once more')
    .action(asks(repairs, 'retryJobs'));
}

export function addEvents(program: Command): void {
  const actions = () => import('./events/events.js');
  const events = program.command('events').description('the log, as it is stored');
  const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

  verb(events, 'show', 'the events of one stream')
    .argument('<stream>', 'name of the stream, for example test.job-01J…')
    .option('--from <revision>', 'first revision to show', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--limit <n>', 'most events to show', wholeNumber(1, 4_096), 100)
    .action(asks(actions, 'showEvents'));

  verb(events, 'tail', 'events as they come, until Ctrl-C; with --json one line each')
    .addOption(environmentOption('only those of this environment'))
    .option('--prefix <prefix>', 'only streams that begin so, for example job- ; repeatable', collect)
    .option('--type <type>', 'only events of this type, for example JobFailed ; repeatable', collect)
    .action(lazily(actions, 'tailEvents'));

  verb(events, 'export', 'the log as it is stored, one JSON object a line, up to its end of now')
    .option('--from <position|time>', 'begin after this position, or at this time')
    .option('--to <position|time>', 'end with this position, or at this time')
    .addOption(environmentOption('only events of this environment'))
    .option('--stream <stream>', 'only events of this stream')
    .option('--output <file>', 'a new file; without it, standard output')
    .option(
      '--resume',
      'go on where the file ends, after an export that was interrupted or that you want to continue',
    )
    .action(lazily(() => import('./events/export-events.js'), 'exportEvents'));

  const from = new Option(
    '--from <url>',
    'source: an address, `embedded`, or a file that was exported; without it, where the service has its events',
  );
  const to = new Option('--to <url>', 'target, or `embedded`: empty, or what an earlier copy made of it');
  const checkpoints = 'what to do with the positions of read models and process managers';
  verb(events, 'copy', 'copy the history into another store; may be stopped and run again at any time')
    .addOption(from.env('ATELIER_COPY_FROM'))
    .addOption(to.env('ATELIER_COPY_TO').makeOptionMandatory())
    .addOption(new Option('--checkpoints <how>', checkpoints).choices(['translate', 'reset']))
    .action(lazily(() => import('./events/copy-events.js'), 'copyHistory'));

  verb(events, 'adopt', 'believe the log up to now without the proof that each event carries')
    .option('--accept <n>', 'events without proof that you answer for', wholeNumber(0, 1_000_000_000))
    .action(lazily(() => import('./events/adopt-history.js'), 'adoptEvents'));
}

export function addCheckpoints(program: Command): void {
  verb(
    program
      .command('checkpoints')
      .description('how far read models and process managers have handled the log'),
    'reset',
    'let all of them begin anew at the first event of the log; stop all roles before',
  ).action(lazily(() => import('./events/reset-checkpoints.js'), 'resetAllCheckpoints'));
}

export function addProjections(program: Command): void {
  const rebuilding = () => import('./projections/rebuild-projections.js');
  const projections = program
    .command('projections')
    .description('read models: how far they are, and rebuilding them from the history');
  /** A verb over some read models, or all of them, in one environment or both. */
  const overReadModels = (name: string, description: string) =>
    verb(projections, name, description)
      .argument('[name...]', 'read models, for example jobs ledger')
      .option('--all', 'all read models')
      .addOption(environmentOption(everywhere));
  const acceptDifferences = [
    '--accept-differences',
    'switch even where the new rows differ from the live ones',
  ] as const;

  verb(projections, 'list', 'every generation of every read model: state, position, rows, what is parked')
    .addOption(environmentOption(only))
    .action(asks(() => import('./projections/list-projections.js'), 'listProjections'));

  overReadModels('rebuild', 'fold the history anew beside what is live, compare, and switch')
    .option(...acceptDifferences)
    .option('--no-switch', 'build and compare only: "projections switch" does the rest')
    .action(asks(rebuilding, 'rebuildReadModels'));

  overReadModels('compare', 'prove that the live rows are what the history says; changes nothing').action(
    asks(rebuilding, 'compareReadModels'),
  );

  overReadModels('switch', 'compare what was built before once more, and switch to it')
    .option(...acceptDifferences)
    .action(asks(rebuilding, 'switchReadModels'));

  overReadModels('rollback', 'go back to the rows that were live before the last switch').action(
    asks(rebuilding, 'rollBackReadModels'),
  );
}

export function addStatus(program: Command): void {
  verb(program, 'now', 'is anyone waiting, and why: all that matters of this moment').action(
    asks(() => import('./now/now.js'), 'showNow'),
  );

  verb(program, 'status', 'how far read models, process managers, render queues and seals are').action(
    asks(() => import('./status.js'), 'showStatus'),
  );
}

export function addProcesses(program: Command): void {
  verb(
    program.command('processes').description('process managers: what acts on the log'),
    'list',
    'how far each has come, and whether it is halted',
  )
    .addOption(environmentOption(only))
    .action(asks(() => import('./status.js'), 'listProcesses'));
}

export function addReplay(program: Command): void {
  verb(program, 'replay', 'what a stream folds into, after each of its events')
    .argument(
      '<stream>',
      'an account, job, key, asset, product, preset or operation, for example test.account-01J…',
    )
    .option('--at <revision|time>', 'stop there: a revision, or a time such as 2026-01-31T12:00:00Z')
    .action(asks(() => import('./replay/replay-stream.js'), 'replayStream'));
}

export function addParked(program: Command): void {
  const actions = () => import('./projections/parked.js');
  const parked = program
    .command('parked')
    .description('streams that a read model does not follow, because it cannot fold one of their events');

  verb(parked, 'list', 'which they are, what is wrong, and how many events wait')
    .addOption(environmentOption('only those of this environment'))
    .action(asks(actions, 'listParked'));

  verb(parked, 'retry', 'fold their events with the code of this release; exit code 1 when some stay parked')
    .argument('[read-model]', 'all streams that are parked for this read model')
    .option('--stream <stream>', 'only this stream, for example test.account-01J…')
    .option('--all', 'whatever is parked')
    .addOption(environmentOption('only those of this environment'))
    .action(asks(actions, 'retryParkedStreams'));
}

export function addModels(program: Command): void {
  const models = program.command('models').description('the image models that ATELIER_MODELS_FILE declares');
  verb(models, 'list', 'what each is, and what it costs').action(
    asks(() => import('./models/models.js'), 'listImageModels'),
  );
  verb(models, 'check', 'ask each vendor what it can be asked without cost').action(
    asks(() => import('./models/models.js'), 'checkImageModels'),
  );

  verb(program, 'costs', 'what vendors took for pictures, beside the credits that were taken and given back')
    .addOption(
      new Option('--by <what>', 'what to sum by').choices(['tenant', 'workflow', 'model']).default('model'),
    )
    .addOption(environmentOption(only))
    .option('--from <time>', 'jobs that were dispatched from this time on, for example 2026-01-01T00:00:00Z')
    .option('--to <time>', 'jobs that were dispatched up to this time')
    .option('--csv', 'comma-separated values, with a header')
    .action(asks(() => import('./costs/costs.js'), 'showCosts'));
}

export function addWebhooks(program: Command): void {
  const actions = () => import('./webhooks/webhooks.js');
  const webhooks = program
    .command('webhooks')
    .description('the endpoints of tenants, and what is sent to them');
  const events = ['<events>', `with commas between: ${webhookTopics.join(', ')}`, topics] as const;
  const url = ['--url <url>', 'where messages are sent', shortText(1, 2048)] as const;
  const description = ['--description <text>', 'for people', shortText(0, 256)] as const;
  const low = ['--credits-low-below <credits>', 'credits.low is sent below it', credits(1)] as const;
  const ofTenant = (name: string, about: string) =>
    verb(webhooks, name, about)
      .addOption(tenantOption())
      .addOption(environmentOption().makeOptionMandatory());
  const ofOne = (name: string, about: string) =>
    ofTenant(name, about).argument('<webhook>', 'id of the endpoint', ulid);

  ofTenant('create', 'register an endpoint; its secret is shown once')
    .requiredOption(...url)
    .requiredOption(`--events ${events[0]}`, events[1], events[2])
    .option(...description, '')
    .option(...low, 100)
    .action(asks(actions, 'createWebhook'));

  verb(webhooks, 'list', 'the endpoints of a tenant')
    .addOption(tenantOption())
    .addOption(environmentOption(everywhere))
    .action(asks(actions, 'listTenantWebhooks'));

  ofOne('update', 'change an endpoint; what is not named stays as it is')
    .option(...url)
    .option(`--events ${events[0]}`, events[1], events[2])
    .option(...description)
    .option(...low)
    .addOption(new Option('--enable', 'let its messages flow again').conflicts('disable'))
    .option('--disable', 'stop its messages')
    .action(asks(actions, 'updateWebhook'));

  ofOne('remove', 'remove an endpoint for good').action(asks(actions, 'removeWebhook'));

  ofOne('rotate-secret', 'give an endpoint a new secret, which is shown once')
    .option('--overlap <time>', 'how long the secret before signs as well', duration(7), 24 * 3_600_000)
    .action(asks(actions, 'rotateWebhookSecret'));

  ofOne('test', 'send it a webhook.test message').action(asks(actions, 'testWebhook'));

  ofOne('resend', 'send deliveries again: one, those of a time, or all that failed')
    .option('--delivery <id>', 'this one', ulid)
    .option('--since <time>', 'what happened from then on', time)
    .option('--until <time>', 'and before then', time)
    .option('--failed', 'all that have failed for good')
    .action(asks(actions, 'resendWebhook'));

  ofOne('deliveries', 'what was sent in the last 30 days, and how it went; newest first')
    .addOption(new Option('--status <status>', 'only those').choices(['pending', 'delivered', 'failed']))
    .option('--limit <n>', 'how many', wholeNumber(1, 1_000), 50)
    .action(asks(actions, 'listWebhookDeliveries'));
}
