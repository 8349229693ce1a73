import { installation } from '#application/command-context.js';
import {
  actionsPrefix,
  AddOperator,
  operatorsPrefix,
  RevokeOperator,
} from '#application/operator/manage-operators.handler.js';
import { operatorNamePattern } from '#application/operator/operator-token.js';
import type { EventOfType } from '#domain/events.js';
import { evolveOperator, initialOperator } from '#domain/operator/operator.js';
import { operatorRoles, type OperatorRole } from '#domain/operator/operator.events.js';
import { decode } from '#domain/stored-events.js';
import { parseStreamName } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { BooleanField, ChoiceField, IntegerField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { LimitField, NoInput, timeOf } from '#operator-calls/input.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { foldedStreams } from '../places.js';
import { CliError } from '#operator-calls/call-refused.js';

class OperatorName {
  @TextField({ description: 'Name of the operator.', min: 1, max: 64, required: true })
  name: string;
}

const dayMs = 86_400_000;

class NewOperator extends OperatorName {
  @ChoiceField({ description: 'What they may do.', values: operatorRoles, required: true })
  role: OperatorRole;

  @IntegerField({
    description: 'How long they may, in milliseconds.',
    min: 1_000,
    max: 3_660 * dayMs,
    default: 90 * dayMs,
  })
  expires: number = 90 * dayMs;

  @BooleanField({ description: 'False: no token; they come with the login of your organisation.' })
  token: boolean = true;
}

export const addAnOperator = defineCall({
  name: 'operators add',
  route: 'POST /operators',
  may: [],
  summary: 'Let a person in; the token is shown this once and stored only as a hash',
  input: NewOperator,
  typed: { name: 'argument', expires: 'duration' },
  async run(operator, { name, role, expires, token: withToken }) {
    if (!operatorNamePattern.test(name))
      throw new CliError('a name has small letters, digits and . _ @ + -, and begins with a letter or digit');
    const context = operator.context('live', installation);
    const expiresAt = new Date(context.at.getTime() + expires);
    const added = await operator.execute(new AddOperator(context, { name, role, expiresAt }, withToken));
    if (added.kind === 'rejected')
      throw new CliError(`${name} is an operator already: "atelier operators revoke ${name}" comes first`);
    return { name, role, expires_at: expiresAt, ...(added.token !== undefined && { token: added.token }) };
  },
  print: ({ name, role, expires_at, token }) =>
    printProperties([
      ['operator', name],
      ['role', role],
      ['expires', expires_at],
      ...(token === undefined
        ? []
        : [['token', token] as const, ['', 'The token is shown only now: hand it to them alone.'] as const]),
    ]),
});

class RevokedOperator extends OperatorName {
  @TextField({ description: 'Why, for the record.', min: 1, max: 200 })
  reason: string = 'revoked by the operator';
}

export const revokeAnOperator = defineCall({
  name: 'operators revoke',
  route: 'POST /operators/:name/revoke',
  may: [],
  summary: 'Take the access of an operator away, from the next request on',
  input: RevokedOperator,
  async run(operator, { name, reason }) {
    const context = operator.context('live', installation);
    const revoked = await operator.execute(new RevokeOperator(context, name, reason));
    if (revoked.kind === 'rejected')
      throw new CliError(
        `there is no operator ${name}: "atelier operators list" names them`,
        'RESOURCE_NOT_FOUND',
      );
    return { name, status: 'revoked' as const };
  },
  print: ({ name }) => printLine(`${name} is no operator any more.`),
});

export const listAllOperators = defineCall({
  name: 'operators list',
  route: 'GET /operators',
  may: ['read'],
  summary: 'Who may ask, and what',
  input: NoInput,
  async run(operator) {
    const fold = { initial: initialOperator, evolve: evolveOperator };
    const found = foldedStreams(await operator.recorded({ streamPrefixes: [operatorsPrefix] }), fold);
    const now = systemClock().toISOString();
    const operators = [...found.values()]
      .filter((state) => state.status !== 'unknown')
      .map(({ status, operator: { name, role, expiresAt, at, tokenHash } }) => ({
        name,
        role,
        login: tokenHash === null ? ('organisation' as const) : ('token' as const),
        status: status === 'active' && expiresAt <= now ? ('expired' as const) : status,
        added_at: at,
        expires_at: expiresAt,
      }));
    return { operators: operators.sort((one, other) => one.name.localeCompare(other.name)) };
  },
  print: ({ operators }) =>
    printTable(operators, {
      name: (operator) => operator.name,
      role: (operator) => operator.role,
      login: (operator) => operator.login,
      status: (operator) => operator.status,
      added: (operator) => operator.added_at,
      expires: (operator) => operator.expires_at,
    }),
});

class SoughtActions {
  @TextField({ description: 'Only those of this operator.', min: 1, max: 64 })
  by?: string;

  @TextField({
    description: 'Only this verb, or all of a noun, for example `credits grant` or `operations`.',
    min: 1,
    max: 64,
  })
  action?: string;

  @TextField({ description: 'From this time on.', min: 1, max: 40 })
  from?: string;

  @LimitField(1_000, 100)
  limit: number = 100;
}

interface ActionView {
  readonly action_id: string;
  readonly request_id: string;
  readonly at: string;
  readonly by: string;
  readonly via: 'api' | 'command';
  readonly action: string;
  readonly input: Record<string, unknown>;
  outcome: EventOfType<'ActionEnded'>['data']['outcome'] | 'unknown';
  summary: string | null;
  ended_at: string | null;
}

/** From the log: what an operator did beside it has the same `request_id` in its metadata. */
export const listActions = defineCall({
  name: 'actions',
  route: 'GET /actions',
  may: ['read'],
  summary: 'What operators did: who, when, what, and how it ended',
  input: SoughtActions,
  async run(operator, { by, action, from, limit }) {
    const since = from === undefined ? 0 : timeOf('--from', from);
    const found = new Map<string, ActionView>();
    for (const recorded of await operator.recorded({ streamPrefixes: [actionsPrefix] })) {
      const { stream, metadata } = recorded;
      const { type, data } = decode(recorded);
      if (type === 'ActionEnded') {
        const known = found.get(stream);
        const { outcome, summary, at } = data;
        if (known) Object.assign(known, { outcome, summary, ended_at: at });
      } else if (type === 'ActionRequested') {
        const isSought = action === undefined || `${data.action} `.startsWith(`${action} `);
        const wanted = (by === undefined || data.by === by) && isSought;
        if (!wanted || Date.parse(data.at) < since) continue;
        const id = parseStreamName(stream)?.id ?? stream;
        const via = metadata.actor.startsWith('operator:') ? 'api' : 'command';
        found.set(stream, {
          action_id: id,
          request_id: metadata.requestId,
          at: data.at,
          by: data.by,
          via,
          action: data.action,
          input: data.input,
          outcome: 'unknown',
          summary: null,
          ended_at: null,
        });
      }
    }
    return { actions: [...found.values()].reverse().slice(0, limit) };
  },
  print: ({ actions }) =>
    printTable(actions, {
      at: (action) => action.at,
      by: (action) => action.by,
      via: (action) => action.via,
      action: (action) => action.action,
      input: (action) => JSON.stringify(action.input),
      outcome: (action) => action.outcome,
      summary: (action) => action.summary,
    }),
});
