import { installation } from '#application/command-context.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { foldedStreams } from '#operator-calls/folded-streams.js';
import { NoInput } from '#operator-calls/input.js';
import { operatorRoles, type OperatorRole } from '#operator-calls/operator-role.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { systemClock } from '#platform/clock.js';
import { BooleanField, ChoiceField, IntegerField, TextField } from '#validation/fields.js';
import { AddOperator, operatorsPrefix, RevokeOperator } from './manage-operators.handler.js';
import { operatorNamePattern } from './operator-token.js';
import { evolveOperator, initialOperator } from './operator.js';
import { SignInModule } from './sign-in.module.js';

const features = [SignInModule];

class OperatorName {
  @TextField({ description: 'Name of the operator.', min: 1, max: 64, required: true })
  name: string;
}

const dayMs = 86_400_000;

class NewOperator extends OperatorName {
  @ChoiceField({ description: 'What they may do.', values: operatorRoles, required: true })
  role: OperatorRole;

  @IntegerField({
    description: 'How long the operator has access, in milliseconds.',
    min: 1_000,
    max: 3_660 * dayMs,
    default: 90 * dayMs,
  })
  expires: number = 90 * dayMs;

  @BooleanField({ description: 'False: no token; the operator uses the login of your organisation.' })
  token: boolean = true;
}

export const addAnOperator = defineCall({
  name: 'operators add',
  route: 'POST /operators',
  may: [],
  summary: 'Add an operator; the token is shown only this once, and stored only as a hash',
  input: NewOperator,
  features,
  typed: { name: 'argument', expires: 'duration' },
  async run(operator, { name, role, expires, token: withToken }) {
    if (!operatorNamePattern.test(name))
      throw new CallRefused(
        'a name has small letters, digits and . _ @ + -, and begins with a letter or digit',
      );
    const context = operator.context('live', installation);
    const expiresAt = new Date(context.at.getTime() + expires);
    const added = await operator.execute(new AddOperator(context, { name, role, expiresAt }, withToken));
    if (added.kind === 'rejected')
      throw new CallRefused(`${name} is already an operator: run "atelier operators revoke ${name}" first`);
    return { name, role, expires_at: expiresAt, ...(added.token !== undefined && { token: added.token }) };
  },
  print: ({ name, role, expires_at, token }) =>
    printProperties([
      ['operator', name],
      ['role', role],
      ['expires', expires_at],
      ...(token === undefined
        ? []
        : [
            ['token', token] as const,
            ['', 'The token is shown only now: hand it to the operator alone.'] as const,
          ]),
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
  features,
  async run(operator, { name, reason }) {
    const context = operator.context('live', installation);
    const revoked = await operator.execute(new RevokeOperator(context, name, reason));
    if (revoked.kind === 'rejected')
      throw new CallRefused(
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
  summary: 'The operators, and what each may do',
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
