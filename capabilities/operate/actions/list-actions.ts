import { actionsPrefix } from '#application/action/record-action.handler.js';
import type { EventOfType } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { parseStreamName } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { defineCall } from '#operator-calls/call.js';
import { LimitField, timeOf } from '#operator-calls/input.js';
import { printTable } from '#operator-calls/output.js';
import { TextField } from '#validation/fields.js';

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
  readonly via: 'api' | 'command' | 'projector';
  readonly action: string;
  readonly input: Record<string, unknown>;
  outcome: EventOfType<'ActionEnded'>['data']['outcome'] | 'unknown';
  summary: string | null;
  ended_at: string | null;
}

function viaOf(actor: string): ActionView['via'] {
  if (actor.startsWith('projector:')) return 'projector';
  return actor.startsWith('operator:') ? 'api' : 'command';
}

/** @param events those of actions, in their order */
export function actionsIn(events: readonly RecordedEvent[]): ActionView[] {
  const found = new Map<string, ActionView>();
  for (const recorded of events) {
    const { stream, metadata } = recorded;
    const { type, data } = decode(recorded);
    if (type === 'ActionEnded') {
      const known = found.get(stream);
      const { outcome, summary, at } = data;
      if (known) Object.assign(known, { outcome, summary, ended_at: at });
    } else if (type === 'ActionRequested')
      found.set(stream, {
        action_id: parseStreamName(stream)?.id ?? stream,
        request_id: metadata.requestId,
        at: data.at,
        by: data.by,
        via: viaOf(metadata.actor),
        action: data.action,
        input: data.input,
        outcome: 'unknown',
        summary: null,
        ended_at: null,
      });
  }
  return [...found.values()];
}

/**
 * Reads actions from the log. The other events that an action writes have the same `request_id` in their
 * metadata.
 */
export const listActions = defineCall({
  name: 'actions',
  route: 'GET /actions',
  may: ['read'],
  summary: 'What operators did: who, when, what, and how it ended; and the nightly audits',
  input: SoughtActions,
  async run(operator, { by, action, from, limit }) {
    const since = from === undefined ? 0 : timeOf('--from', from);
    const actions = actionsIn(await operator.recorded({ streamPrefixes: [actionsPrefix] })).filter(
      (each) =>
        (by === undefined || each.by === by) &&
        (action === undefined || `${each.action} `.startsWith(`${action} `)) &&
        Date.parse(each.at) >= since,
    );
    return { actions: actions.reverse().slice(0, limit) };
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
