import { Injectable } from '@nestjs/common';
import { actionsPrefix } from '#application/operator/manage-operators.handler.js';
import type { ActionOutcome } from '#domain/operator/operator.events.js';
import { decode } from '#domain/stored-events.js';
import { EventStore } from '#event-store/event-store.js';
import { pagesOfLog } from '../places.js';

export const auditAction = 'ledger audit';

const well = 'all holds';

/** What is written down of an audit. */
export function auditSummary(wrong: number, events: number): string {
  return `${wrong === 0 ? well : `${wrong} wrong`} in ${events} events`;
}

export interface AuditMade {
  readonly by: string;
  readonly at: string;
  readonly holds: boolean;
  readonly summary: string | null;
  readonly outcome: ActionOutcome | 'unknown';
}

/** The last audit that an operator has made, from what they did. Reads the log once, and then what is new in it. */
@Injectable()
export class LastAudit {
  private through: bigint | undefined;
  private last: (AuditMade & { readonly stream: string }) | undefined;

  constructor(private readonly store: EventStore) {}

  async find(): Promise<AuditMade | null> {
    const head = await this.store.head();
    const filter = { streamPrefixes: [actionsPrefix] };
    for await (const page of pagesOfLog(this.store, { after: this.through, filter, limit: 1_000 }))
      for (const recorded of page) {
        const { stream } = recorded;
        const { type, data } = decode(recorded);
        if (type === 'ActionRequested' && data.action === auditAction)
          this.last = { stream, by: data.by, at: data.at, holds: false, summary: null, outcome: 'unknown' };
        if (type === 'ActionEnded' && this.last?.stream === stream) {
          const { at, outcome, summary } = data;
          this.last = { ...this.last, at, outcome, summary, holds: summary?.startsWith(well) ?? false };
        }
      }
    // What is appended meanwhile is read again the next time, which changes nothing.
    this.through = head;
    if (!this.last) return null;
    const { stream: _stream, ...made } = this.last;
    return made;
  }
}
