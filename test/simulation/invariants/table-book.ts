import { toProjectedEvent } from '#read-store/projected-event.js';
import { columnsOnly, simulatedModels, Tables } from '../services/tables.js';
import type { Checkpoints } from '../services/checkpoints.js';
import type { SimulatedLog } from '../store/simulated-log.js';
import type { Invariants } from '../invariants.js';
import type { Report } from './price-book.js';

interface LedgerRow {
  readonly tenant: string;
  readonly creditsDelta: number;
}

/**
 * 8 and 9: each read model is the fold of history up to its checkpoint, and the lines of the ledger add up to
 * the balance.
 */
export class TableBook {
  /** The expected tables: the same folds over the same history, with each event applied once and in order. */
  private readonly expected = new Tables();
  private folded = 0;

  constructor(
    private readonly report: Report,
    private readonly invariants: Pick<Invariants, 'tenants' | 'balanceAt'>,
    private readonly installation: { readonly log: SimulatedLog; readonly checkpoints: Checkpoints },
    private readonly tables: Tables,
  ) {}

  /** After each commit of a projector. */
  committed(): void {
    const { position } = this.tables;
    const touched = new Map<string, Set<string>>();
    const { log, checkpoints } = this.installation;
    const { events } = log;
    for (let next = events[this.folded]; next && next.position <= position; next = events[this.folded]) {
      const changes = this.expected.fold([toProjectedEvent(next)]);
      this.expected.apply(changes, next.position);
      for (const [model, rows] of changes)
        for (const id of rows.keys()) touched.set(model, (touched.get(model) ?? new Set()).add(id));
      this.folded += 1;
    }
    if (checkpoints.isResetDue) return;
    for (const model of simulatedModels)
      for (const id of touched.get(model.name) ?? []) this.compare(model, id);
    this.compareBalances(position);
  }

  /** All rows, those included that no event should ever have made. */
  atRest(): void {
    this.committed();
    const head = this.installation.log.events.at(-1)?.position ?? 0n;
    if (this.tables.position < head)
      this.report(`8: the projector stands at ${this.tables.position} of ${head}`);
    for (const model of simulatedModels) {
      const ids = new Set([
        ...this.tables.rowsOf(model.name).keys(),
        ...this.expected.rowsOf(model.name).keys(),
      ]);
      for (const id of ids) this.compare(model, id);
    }
  }

  private compare(model: (typeof simulatedModels)[number], id: string): void {
    const actual = columnsOnly(model, this.tables.rowsOf(model.name).get(id));
    const expected = columnsOnly(model, this.expected.rowsOf(model.name).get(id));
    if (actual === expected) return;
    this.report(`8: ${model.name} ${id} at ${this.tables.position} is ${actual} and folds to ${expected}`);
  }

  private compareBalances(position: bigint): void {
    const sums = new Map<string, number>();
    // The rows of that table are the ledger's.
    for (const row of this.tables.rowsOf('ledger').values() as Iterable<LedgerRow>)
      sums.set(row.tenant, (sums.get(row.tenant) ?? 0) + row.creditsDelta);
    for (const tenant of this.invariants.tenants) {
      const balance = this.invariants.balanceAt(tenant, position);
      const sum = sums.get(tenant) ?? 0;
      if (sum !== balance)
        this.report(`9: the ledger of ${tenant} sums to ${sum} at a balance of ${balance}`);
    }
  }
}
