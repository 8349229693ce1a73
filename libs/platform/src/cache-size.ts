/**
 * Limits an `LRUCache` to a number of entries. Its own option `max` allocates lists of that length at once,
 * which costs 2 ms and half a megabyte for 10,000 entries. With these options the lists grow with the entries.
 */
export const entriesUpTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
