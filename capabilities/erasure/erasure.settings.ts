import type { SettingsReader } from '#platform/configuration.js';

export interface ErasureSettings {
  /**
   * For how many days the operator keeps backups. Receipts name the day on which the last one with the erased data ends,
   * and a restored log is searched for erasures of this time.
   */
  readonly backupDays: number;
  /** Days between the approval of a tenant's closing and the erasing, unless the proposal says otherwise. */
  readonly closingNoticeDays: number;
}

export function readErasureSettings(settings: SettingsReader): { readonly erasure: ErasureSettings } {
  return {
    erasure: {
      backupDays: settings.integer('ATELIER_BACKUP_DAYS', 35, 0, 3_650),
      closingNoticeDays: settings.integer('ATELIER_CLOSING_NOTICE_DAYS', 30, 0, 365),
    },
  };
}
