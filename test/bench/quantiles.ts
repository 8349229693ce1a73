/** The value that this share of the values does not exceed; 0 if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** `p50 1.2 · p99 3.4 · max 5.6` of the values, in their own unit. */
export function quantiles(values: readonly number[]): string {
  const at = (share: number) => quantile(values, share).toFixed(1);
  return `p50 ${at(0.5)} · p99 ${at(0.99)} · max ${at(1)}`;
}
