import { setTimeout as sleep } from 'node:timers/promises';
import Table from 'cli-table3';
import { say } from '../console.js';
import type { Client, LedgerEntry } from './client.js';

const settledWithinMs = 10_000;
const shownEntries = 10;

/**
 * Shows the ledger and the balance, and proves that the one explains the other.
 * @throws Error when they disagree, or the charge does not become final
 */
export async function showAccounts(client: Client, chargeId: string): Promise<void> {
  const ledger = await settledLedger(client, chargeId);
  const { balance } = await client.credits();
  const table = new Table({ head: ['when', 'what', 'status', 'credits'], style: { head: [], border: [] } });
  table.push(
    ...ledger
      .slice(0, shownEntries)
      .map(({ created_at: at, label, status, credits_delta: delta }) => [
        at,
        label,
        status,
        { content: delta > 0 ? `+${delta}` : String(delta), hAlign: 'right' as const },
      ]),
  );
  say(table.toString());
  if (ledger.length > shownEntries) say(`(the latest ${shownEntries} of ${ledger.length} entries)`);

  const sum = ledger.reduce((total, entry) => total + entry.credits_delta, 0);
  if (sum !== balance) throw new Error(`the ledger sums to ${sum}, but the balance is ${balance}`);
  say(`Balance: ${balance} credits, which is the sum of the ledger.`);
}

/** A moment after the picture is there its charge is settled too. */
async function settledLedger(client: Client, chargeId: string): Promise<LedgerEntry[]> {
  for (const deadline = Date.now() + settledWithinMs; ;) {
    const ledger = await client.ledger();
    const charge = ledger.find(({ id }) => id === chargeId);
    if (charge?.status === 'SUCCESS') return ledger;
    if (Date.now() > deadline)
      throw new Error(
        `the charge ${chargeId} is ${charge?.status ?? 'not in the ledger'} instead of SUCCESS`,
      );
    await sleep(100);
  }
}
