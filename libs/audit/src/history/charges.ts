import { Column } from '../memory/column.js';
import { hashKey } from '../memory/hash.js';
import { KeyIndex } from '../memory/key-index.js';

const states = ['unknown', 'open', 'settled', 'refunded', 'purchase'] as const;

export type ChargeState = (typeof states)[number];

/** A charge that is neither settled nor refunded: held with its texts, for there are few of them. */
export interface OpenCharge {
  readonly stream: string;
  readonly revision: number;
  readonly chargeId: string;
  readonly jobId: string;
  /** Of the job. */
  readonly job: number;
  /** Of the job that the request was answered with, where it is another; −1: it is not. */
  readonly parent: number;
  readonly amount: number;
  readonly madeAt: number;
}

/** All charges, and the ids of purchases, which share their table in the ledger. */
export class Charges {
  private readonly index = new KeyIndex();
  private readonly states = Column.uint8();
  private readonly amounts = Column.int32();
  private readonly tenants = Column.uint32();
  private readonly jobs = Column.uint32();
  private readonly revisions = Column.int32();
  readonly open = new Map<number, OpenCharge>();

  number(environment: string, id: string): number {
    return this.index.add(hashKey(id, environment === 'live' ? 1 : 2));
  }

  state(number: number): ChargeState {
    return states[this.states.get(number)]!;
  }

  amount(number: number): number {
    return this.amounts.get(number);
  }

  tenant(number: number): number {
    return this.tenants.get(number);
  }

  job(number: number): number {
    return this.jobs.get(number);
  }

  /** Of the account's stream, at which the charge became what it is. */
  revision(number: number): number {
    return this.revisions.get(number);
  }

  make(number: number, tenant: number, charge: OpenCharge): void {
    this.states.set(number, states.indexOf('open'));
    this.amounts.set(number, charge.amount);
    this.tenants.set(number, tenant);
    this.jobs.set(number, charge.job);
    this.revisions.set(number, charge.revision);
    this.open.set(number, charge);
  }

  become(number: number, state: Exclude<ChargeState, 'unknown' | 'open'>, revision: number): void {
    this.states.set(number, states.indexOf(state));
    this.revisions.set(number, revision);
    this.open.delete(number);
  }
}
