import '#platform/node-version.js';
import { writeFileSync } from 'node:fs';
import { loadConfiguration } from '#platform/configuration.js';
import { messageOf } from '#platform/errors.js';
import { ConnectedOperator } from '../connected-operator.js';
import { auditLedger } from '../ledger/audit-ledger.js';
import type { AuditEnd } from './audit-process.js';

/** On Linux, memory that runs out ends this process before the projector. Elsewhere there is no such file. */
function dieFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // It is only a hint.
  }
}

async function auditAll(): Promise<AuditEnd> {
  try {
    await using operator = await ConnectedOperator.serve(loadConfiguration(), []);
    const asked = { signal: new AbortController().signal, onProgress: () => undefined };
    const report = await auditLedger.run(operator, {}, asked);
    return { outcome: 'done', summary: auditLedger.summarise?.(report) ?? '' };
  } catch (error) {
    return { outcome: 'failed', summary: messageOf(error) };
  }
}

// A killed parent leaves no one to report to.
process.on('disconnect', () => process.exit());
if (!process.connected) process.exit();
dieFirst();
const end = await auditAll();
process.send?.(end, () => process.exit());
