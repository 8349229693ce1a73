/** `p50 1.2 · p99 3.4 · max 5.6` of the values, in their own unit. */
export function quantiles(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} · p99 ${at(0.99)} · max ${at(1)}`;
}
