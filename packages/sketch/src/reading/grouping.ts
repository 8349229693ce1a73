/** Photographs that share a person or a place, in the service's own terms. */
export interface Group {
  readonly member_indices: readonly number[];
  /** 0–1. */
  readonly confidence: number;
  readonly evidence: string;
}

interface Cluster {
  readonly members: readonly number[];
  /** Mean distance between its members. */
  readonly spread: number;
}

const pairs = (members: readonly number[]): (readonly [number, number])[] =>
  members.flatMap((p, k) => members.slice(k + 1).map((q) => [p, q] as const));

const mean = (values: readonly number[]): number =>
  values.length > 0 ? values.reduce((sum, v) => sum + v, 0) / values.length : 0;

/**
 * Agglomerative grouping with average linkage: the two nearest groups are joined until even the nearest are
 * farther apart than `limit`.
 * @param indices the items to group; distances are computed only for pairs of them
 */
export function cluster(
  indices: readonly number[],
  distance: (p: number, q: number) => number,
  limit: number,
): Cluster[] {
  let groups = indices.map((index) => [index]);
  for (;;) {
    let best: { gap: number; one: number[]; two: number[] } | undefined;
    for (const [k, one] of groups.entries()) {
      for (const two of groups.slice(k + 1)) {
        const gap = mean(one.flatMap((p) => two.map((q) => distance(p, q))));
        if (gap < limit && gap < (best?.gap ?? Infinity)) best = { gap, one, two };
      }
    }
    if (!best) break;
    const { one, two } = best;
    groups = [...groups.filter((group) => group !== one && group !== two), [...one, ...two]];
  }
  return groups
    .map((group) => [...group].sort((p, q) => p - q))
    .sort((p, q) => (p[0] ?? 0) - (q[0] ?? 0))
    .map((members) => ({ members, spread: mean(pairs(members).map(([p, q]) => distance(p, q))) }));
}

/**
 * Groups of two or more, each with a confidence. It is high if the group's photographs are close to each other
 * and far from all others.
 */
export function groupsOf(
  indices: readonly number[],
  distance: (p: number, q: number) => number,
  limit: number,
  what: string,
): Group[] {
  return cluster(indices, distance, limit)
    .filter(({ members }) => members.length > 1)
    .map(({ members, spread }) => {
      const others = indices.filter((index) => !members.includes(index));
      const nearest = Math.min(
        2 * limit,
        ...others.map((other) => mean(members.map((m) => distance(m, other)))),
      );
      const closeness = 1 - spread / limit;
      const margin = Math.min(1, (nearest - spread) / limit);
      const confidence =
        Math.round(Math.min(0.99, Math.max(0.3, 0.4 + 0.35 * closeness + 0.25 * margin)) * 100) / 100;
      const evidence = `${what}: mean distance ${spread.toFixed(2)} of ${limit.toFixed(2)} allowed, next photograph at ${nearest.toFixed(2)}`;
      return { member_indices: members, confidence, evidence };
    });
}
