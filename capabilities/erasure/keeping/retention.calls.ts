import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { OfAccount } from '#operator-calls/input.js';
import { printTable } from '#operator-calls/output.js';
import { StreamCommandsModule } from '#application/stream-commands.module.js';
import { choice, IntegerField, ListField } from '#validation/fields.js';
import { keptKinds, type KeptKind } from '../keeping.events.js';
import { ChangeRetention, retentionOf } from './manage-keeping.js';
import { changeIn, daysOf, presentRetention, whatEnds } from './retention.dto.js';

export const showRetention = defineCall({
  name: 'retention show',
  route: 'GET /tenants/:tenant/retention',
  may: ['read'],
  summary: 'For how long pictures and words of a tenant are kept',
  input: OfAccount,
  async run(operator, { tenant, env }) {
    await operator.account(env, tenant);
    const own = await retentionOf(operator.store, env, tenant);
    return presentRetention(own, operator.configuration.keeping);
  },
  print: printRetention,
});

class NewRetention extends OfAccount {
  @IntegerField(daysOf(whatEnds.uploads))
  uploads?: number;

  @IntegerField(daysOf(whatEnds.intermediates))
  intermediates?: number;

  @IntegerField(daysOf(whatEnds.finals))
  finals?: number;

  @IntegerField(daysOf(whatEnds.words))
  words?: number;

  @ListField({ description: 'Kinds that follow the default again.', items: choice(keptKinds), max: 4 })
  clear?: KeptKind[];
}

export const setRetention = defineCall({
  name: 'retention set',
  route: 'PATCH /tenants/:tenant/retention',
  may: ['support'],
  summary:
    'Change for how long pictures and words of a tenant are kept; older ones are erased within minutes',
  input: NewRetention,
  features: [StreamCommandsModule],
  async run(operator, { tenant, env, ...sent }) {
    await operator.account(env, tenant);
    const both = keptKinds.find((kind) => sent[kind] !== undefined && sent.clear?.includes(kind));
    if (both) throw new CallRefused(`${both} cannot be set and cleared at the same time`);
    const { keeping } = operator.configuration;
    const change = { days: changeIn(sent), most: keeping.most };
    const handled = await operator.execute(
      new ChangeRetention(operator.context(env, tenant), tenant, change),
    );
    if (handled.kind === 'rejected') {
      const { kind, most } = handled.rejection;
      throw new CallRefused(
        `${kind} cannot be kept for longer than ATELIER_RETENTION_MAX_DAYS: ${most} days`,
      );
    }
    return presentRetention(handled.state, keeping);
  },
  print: printRetention,
});

function printRetention(rule: ReturnType<typeof presentRetention>): void {
  const rows = keptKinds.map((kind) => ({ kind, ...rule[kind] }));
  const days = (count: number | null) => (count === null ? 'no limit' : `${count} days`);
  printTable(rows, {
    kind: (each) => each.kind,
    kept: (each) => days(each.days),
    "the tenant's own": (each) => each.own && days(each.own),
    default: (each) => days(each.default),
    maximum: (each) => days(each.maximum),
  });
}
