import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Presets, SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import sharp from 'sharp';
import { say } from '../console.js';
import type { DemoClient, LedgerEntry } from './client.js';

/**
 * Shows the progress as lines. On a terminal there is also a bar below them. Its disposal removes the bar and
 * keeps the lines.
 */
export class DemoProgress implements Disposable {
  private readonly bar: SingleBar | undefined;

  constructor(activity: string, expectedSteps: number) {
    const { stdout: stream } = process;
    if (!stream.isTTY) return;
    const format = `${activity} {bar} {duration_formatted}`;
    // It is drawn again even if it has not changed, because each step moves the bar one line down.
    const options = { format, stream, hideCursor: true, clearOnComplete: true, forceRedraw: true };
    this.bar = new SingleBar(options, Presets.shades_classic);
    this.bar.start(expectedSteps, 0);
  }

  step(line: string): void {
    if (this.bar) {
      process.stdout.cursorTo(0);
      process.stdout.clearLine(0);
    }
    say(line);
    // The engine decides on the number of stages. So the bar keeps a part for later stages.
    if (this.bar && this.bar.getProgress() < 0.9) this.bar.increment();
  }

  [Symbol.dispose](): void {
    this.bar?.stop();
  }
}

/**
 * Decodes a picture and writes it to a folder. Broken bytes are not saved.
 * @returns its path from the working directory, and its size in pixels. @throws Error when the bytes are no
 *   picture
 */
export async function savePicture(folder: string, name: string, bytes: Buffer) {
  const { format, width, height } = await sharp(bytes).metadata();
  await sharp(bytes).stats();
  mkdirSync(folder, { recursive: true });
  const extension = format === 'jpeg' ? 'jpg' : format;
  const path = join(folder, `${name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.${extension}`);
  writeFileSync(path, bytes);
  return { path: relative(process.cwd(), path), width, height };
}

const settledWithinMs = 10_000;
const shownEntries = 10;

/**
 * Shows the ledger and the balance, and checks that the ledger adds up to the balance.
 * @throws Error when they disagree, or when the charge does not become final
 */
export async function showAccounts(client: DemoClient, chargeId: string): Promise<void> {
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

/** The charge is settled a moment after the picture is finished. */
async function settledLedger(client: DemoClient, chargeId: string): Promise<LedgerEntry[]> {
  for (const deadline = Date.now() + settledWithinMs; ;) {
    const ledger = await client.ledger();
    const charge = ledger.find(({ id }) => id === chargeId);
    if (charge?.status === 'SUCCESS') return ledger;
    if (Date.now() > deadline)
      throw new Error(
        `the charge ${chargeId} is ${charge?.status ?? 'not in the ledger'} instead of SUCCESS`,
      );
    await pause(100);
  }
}
