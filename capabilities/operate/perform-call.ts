import { installation } from '#application/command-context.js';
import { RecordAction } from '#application/action/record-action.handler.js';
import type { EventOfType } from '#domain/events.js';
import type { ActionOutcome } from '#domain/action/action.events.js';
import { messageOf } from '#platform/errors.js';
import { timelessId } from '#platform/ids.js';
import { InvalidFields, validate } from '#validation/validate.js';
import type { AnyCall, Asked } from '#operator-calls/call.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { NoInput } from '#operator-calls/input.js';
import type { OperatorRole } from '#operator-calls/operator-role.js';
import type { Operator } from '#operator-calls/operator.js';

/** @throws InvalidFields naming all that is wrong */
export function checkedInput({ input }: AnyCall, sent: object, place: 'body' | 'query'): object {
  if (input !== NoInput) return validate(input, sent, place);
  const [field] = Object.keys(sent);
  if (field === undefined) return sent;
  throw new InvalidFields([
    { loc: [place, field], msg: 'is not a field of this request', type: 'extra_forbidden' },
  ]);
}

export function mayCall({ may }: Pick<AnyCall, 'may'>, role: OperatorRole): boolean {
  return role === 'admin' || may.includes('read') || may.includes(role);
}

export const changesThings = ({ route }: Pick<AnyCall, 'route'>) => !route.startsWith('GET ');

/**
 * Makes a call. If the call changes anything, the log records it first, with the operator's name, and then how
 * it ended.
 */
export async function perform(
  call: AnyCall,
  operator: Operator,
  input: object,
  asked: Asked,
): Promise<unknown> {
  if (!changesThings(call) || call.readOnly === 'silent') return call.run(operator, input, asked);
  const context = operator.context('live', installation);
  const { idempotencyKey } = asked;
  const actionId =
    idempotencyKey === undefined ? context.requestId : timelessId(`${operator.name} ${idempotencyKey}`);
  const at = context.at.toISOString();
  const kept = Object.entries(input).filter(([name]) => !call.unrecorded?.some((each) => each === name));
  const request = { action: call.name, by: operator.name, input: Object.fromEntries(kept), at };
  const begin = () =>
    operator.execute(new RecordAction(context, actionId, { type: 'ActionRequested', data: request }));
  const end = (outcome: ActionOutcome, summary: string | null) => {
    const data = { outcome, summary, at: new Date().toISOString() };
    return operator.execute(new RecordAction(context, actionId, { type: 'ActionEnded', data }));
  };
  if (call.readOnly === 'recorded') {
    const result = await call.run(operator, input, asked);
    const recorded = begin().then(() => end('done', call.summarise?.(result) ?? null));
    // The result is worth having even if its record cannot be written.
    await recorded.catch(() => operator.say('the action is done, but its record could not be written'));
    return result;
  }
  const earlier = await begin();
  if (earlier) requireSameRequest(earlier as EventOfType<'ActionRequested'>, request);
  try {
    const requestedAt = new Date((earlier as EventOfType<'ActionRequested'> | undefined)?.data.at ?? at);
    const result = await call.run(operator, input, { ...asked, requestedAt });
    await end('done', call.summarise?.(result) ?? null);
    return result;
  } catch (error) {
    // The caller needs the first error, whether or not the end can be written down.
    await end(error instanceof CallRefused ? 'refused' : 'failed', messageOf(error)).catch(() => undefined);
    throw error;
  }
}

function requireSameRequest(
  { data }: EventOfType<'ActionRequested'>,
  request: Pick<EventOfType<'ActionRequested'>['data'], 'action' | 'input'>,
): void {
  const same = (one: typeof request) => JSON.stringify([one.action, sorted(one.input)]);
  if (same(data) === same(request)) return;
  throw new CallRefused(
    'this Idempotency-Key was used for another request: use a new key for a new request. Nothing was changed',
    'IDEMPOTENCY_KEY_REUSED',
  );
}

/** PostgreSQL stores the fields of an object in its own order. */
const sorted = (input: object) => Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1));
