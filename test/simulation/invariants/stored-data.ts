/** The data of stored events as far as the books read it: the stored format, not the domain's types. */
export interface StoredData {
  readonly tenant?: string;
  readonly chargeId?: string | null;
  readonly requestId?: string;
  readonly jobId?: string;
  readonly parentJobId?: string | null;
  readonly childJobIds?: readonly string[];
  readonly amount?: number;
  readonly creditsCost?: number;
  readonly dailySpendCapCredits?: number;
  readonly attempt?: number;
  readonly request?: { readonly label?: string };
  readonly at?: string;
}

export type Report = (violation: string) => void;

/** Ids are long and differ at their end. */
export function short(id: string | null | undefined): string {
  return id ? id.slice(-5) : '-';
}
