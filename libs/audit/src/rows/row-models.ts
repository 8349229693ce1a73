import { assetRows } from './assets.rows.js';
import { catalogRows } from './catalog.rows.js';
import { jobRows } from './jobs.rows.js';
import { keyRows } from './keys.rows.js';
import { ledgerRows } from './ledger.rows.js';
import { presetRows } from './presets.rows.js';
import { renderRows } from './renders.rows.js';
import type { RowModel } from './row-model.js';
import { timelineRows } from './timeline.rows.js';
import { usageRows } from './usage.rows.js';

export const rowModels: readonly RowModel[] = [
  jobRows,
  timelineRows,
  usageRows,
  ledgerRows,
  renderRows,
  keyRows,
  assetRows,
  presetRows,
  catalogRows,
];
