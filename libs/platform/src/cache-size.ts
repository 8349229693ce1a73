/**
 * How an `LRUCache` is limited to so many entries. Its own `max` makes lists of that length at once, which takes 2 ms and
 * half a megabyte for 10,000; these grow with what is kept.
 */
export const entriesUpTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
