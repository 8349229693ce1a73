import type { Owner } from '#application/picture/stored-pictures.js';
import { longestDataSubject } from '#domain/data-subject.js';
import { environments, type Environment } from '#domain/streams.js';
import { derivedId, isId, newId } from '#platform/ids.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { environmentsOf, OfAccount, PageInEnvironment, printRest } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { BooleanField, ChoiceField, IdField, TextField } from '#validation/fields.js';
import { ErasureOrderRow } from './erasure-orders.read-model.js';
import type { LegalHold } from './keeping/legal-hold.js';
import { Erasures } from './manage-erasures.handler.js';
import { ordersOf, personsOf } from './operators-reads.js';
import type { ThingsOfPerson } from './persons.js';
import { presentTarget, receiptOf } from './receipt.js';

const kinds = ['upload', 'render', 'job', 'product', 'person'] as const;

class NewErasure extends OfAccount {
  @ChoiceField({
    description: 'The kind of thing; a person: all that belongs to them.',
    values: kinds,
    required: true,
  })
  kind: (typeof kinds)[number];

  @TextField({
    description: "The thing's id, or the tenant's own name for the person. A render has the id of its job.",
    min: 1,
    max: longestDataSubject,
    required: true,
  })
  name: string;

  @BooleanField({ description: 'Also erase the pictures and jobs that were made from it.' })
  derived: boolean = false;

  @BooleanField({ description: 'Only count what would be erased.' })
  dry_run: boolean = false;
}

/** The order takes the same way as a caller's. It cannot be undone. */
export const requestTenantErasure = defineCall({
  name: 'erasures request',
  route: 'POST /tenants/:tenant/erasures',
  may: ['support'],
  summary: 'Erase an upload, a render, a job, a product or all that belongs to a person for good',
  input: NewErasure,
  idempotent: 'if-sent',
  typed: { kind: 'argument', name: 'argument' },
  // The history of actions keeps its words, and this may be the name of a person who wants to be forgotten.
  unrecorded: ['name'],
  async run(operator, { tenant, env, kind, name, derived, dry_run }, { idempotencyKey: key, requestedAt }) {
    await operator.account(env, tenant);
    const owner = { environment: env, tenant };
    const { things: targets, more } = await targetsOf(operator, owner, kind, name);
    const { extents, holds, orders } = await ordersOf(operator, env);
    const persons = kind === 'person' ? [name] : [];
    const about = { tenant_id: tenant, env, more };
    if (dry_run) {
      const size = await extents.estimate(owner, { targets, derived });
      if (!size) throw nothingThere(kind);
      const hold = await holds.covering(owner, () => extents.of(owner, { targets, derived }), persons);
      if (hold) throw held(hold);
      return { ...about, dry_run, erasure_id: null, size };
    }
    // A render that has ended without a picture is no target.
    if (await extents.missing(owner, targets)) throw nothingThere(kind);
    const identity = JSON.stringify([operator.name, key, env, tenant, kind, name, derived]);
    const erasureId =
      key === undefined ? newId() : derivedId(`erasure ${identity}`, requestedAt?.getTime() ?? Date.now());
    const context = operator.context(env, tenant);
    const named = { ...context, commandId: `erasure:${erasureId}:requested` };
    const order = await orders.order(
      named,
      { erasureId, targets: [...targets], derived, by: context.actor },
      persons,
    );
    if (order.kind === 'held') throw held(order.hold);
    if (order.kind === 'not-shown') throw notShown();
    await operator.caughtUp(env, 'erasure_orders', order.position);
    return { ...about, dry_run, erasure_id: erasureId, size: null };
  },
  summarise: ({ erasure_id }) => (erasure_id === null ? 'nothing: only counted' : `erasure ${erasure_id}`),
  print: ({ erasure_id, env, size, more }) => {
    if (erasure_id === null) {
      const { pictures, jobs, products, records, unfinished_jobs } = size ?? {};
      printProperties([
        ['pictures', pictures],
        ['jobs', jobs],
        ['products', products],
        ['records', records],
        ['jobs to cancel and refund', unfinished_jobs],
      ]);
    } else
      printLine(
        `Erasure ${erasure_id} has begun in ${env}: "atelier erasures show ${erasure_id}" follows it.`,
      );
    if (more)
      printLine('More belongs to the person than one erasure takes: repeat it once this one is completed.');
  },
});

/** @throws CallRefused if there is nothing */
async function targetsOf(
  operator: Operator,
  owner: Owner,
  kind: NewErasure['kind'],
  name: string,
): Promise<ThingsOfPerson> {
  if (kind !== 'person') {
    if (!isId(name)) throw nothingThere(kind);
    return { things: [{ kind, id: name }], more: false };
  }
  const persons = await personsOf(operator, owner.environment);
  if (!(await persons.areShown(owner))) throw notShown();
  const found = await persons.someThingsOf(owner, name);
  if (found.things.length === 0) throw nothingThere('person');
  return found;
}

function notShown(): CallRefused {
  return new CallRefused(
    'the newest uploads, jobs and products are not yet in the read models: send the request again in a moment. Nothing was erased',
    'SERVICE_UNAVAILABLE',
  );
}

function nothingThere(kind: NewErasure['kind']): CallRefused {
  const what = kind === 'person' ? 'nothing belongs to this person' : `the tenant has no such ${kind}`;
  return new CallRefused(`${what} in this environment. Nothing was erased`, 'RESOURCE_NOT_FOUND');
}

function held({ holdId }: LegalHold): CallRefused {
  const message = `the legal hold ${holdId} keeps it: lift the hold first ("atelier holds list" shows it). Nothing was erased`;
  return new CallRefused(message);
}

class OneErasure {
  @IdField({ description: 'The erasure.', required: true })
  erasure: string;
}

export const showErasure = defineCall({
  name: 'erasures show',
  route: 'GET /erasures/:erasure',
  may: ['read'],
  summary: 'How far an erasure is, and its receipt once it is completed',
  input: OneErasure,
  async run(operator, { erasure: id }) {
    const erasures = new Erasures(operator.store);
    for (const env of environments) {
      const found = await erasures.ofAnyTenant(env, id);
      if (!found) continue;
      const { tenant, targets, derived, by, again, at } = found.request;
      const completed = found.status === 'completed' ? found.completed : undefined;
      return {
        ...({ erasure_id: id, env, tenant_id: tenant, status: found.status, by, derived, again } as const),
        targets: targets.map(presentTarget),
        requested_at: at,
        completed_at: completed?.at ?? null,
        steps: found.steps.map(({ step, counts, at: doneAt }) => ({ step, counts, done_at: doneAt })),
        vendors: found.status === 'completed' ? (found.vendors ?? null) : null,
        receipt: completed ? receiptOf({ ...completed, text: completed.receipt }) : null,
      };
    }
    throw new CallRefused(
      `there is no erasure ${id}: "atelier erasures list" shows those of a tenant`,
      'RESOURCE_NOT_FOUND',
    );
  },
  print({ steps, receipt, targets, vendors, ...about }) {
    printProperties([
      ['erasure', about.erasure_id],
      ['tenant', `${about.tenant_id} in ${about.env}`],
      ['status', about.status],
      ['by', about.by],
      ['requested', about.requested_at],
      ['completed', about.completed_at],
      ...targets.slice(0, 10).map(({ kind, id }) => [kind, id] as const),
      ...(targets.length > 10 ? [['and more', targets.length - 10] as const] : []),
    ]);
    printTable(steps, {
      step: ({ step }) => step,
      done: ({ done_at }) => done_at,
      counts: ({ counts }) =>
        Object.entries(counts)
          .map(([what, count]) => `${what} ${count}`)
          .join(', '),
    });
    if (vendors) printLine(`Vendors deleted ${vendors.deleted} calls and refused ${vendors.refused}.`);
    if (receipt)
      printTable(receipt.remains, { 'remains at': ({ where }) => where, until: ({ until }) => until });
  },
});

class ErasuresOfTenant extends PageInEnvironment {
  @IdField({ description: 'The tenant.', required: true })
  tenant: string;
}

export const listTenantErasures = defineCall({
  name: 'erasures list',
  route: 'GET /tenants/:tenant/erasures',
  may: ['read'],
  summary: 'The erasures of a tenant, the latest first',
  input: ErasuresOfTenant,
  async run(operator, { tenant, env, limit, offset }) {
    const found: { env: Environment; row: ErasureOrderRow }[] = [];
    let total = 0;
    for (const environment of environmentsOf(env)) {
      const [rows, count] = await (
        await operator.readModels(environment)
      )
        .getRepository(ErasureOrderRow)
        .findAndCount({
          where: { tenant },
          order: { requestedAt: 'DESC', erasureId: 'DESC' },
          take: offset + limit,
        });
      total += count;
      found.push(...rows.map((row) => ({ env: environment, row })));
    }
    found.sort((one, other) => other.row.requestedAt.getTime() - one.row.requestedAt.getTime());
    const erasures = found.slice(offset, offset + limit).map(({ env: environment, row }) => ({
      erasure_id: row.erasureId,
      env: environment,
      status: row.status,
      by: row.by,
      targets: row.targets,
      requested_at: row.requestedAt,
      completed_at: row.completedAt,
    }));
    return { tenant_id: tenant, erasures, total };
  },
  print: ({ erasures, total }, { offset }) => {
    printTable(erasures, {
      erasure: (each) => each.erasure_id,
      environment: (each) => each.env,
      status: (each) => each.status,
      things: (each) => each.targets,
      by: (each) => each.by,
      requested: (each) => each.requested_at,
      completed: (each) => each.completed_at,
    });
    printRest(offset + erasures.length, total);
  },
});
