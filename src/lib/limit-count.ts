/**
 * Limits an `LRUCache` to this many entries. Its own `max` makes tables of that size at once, which took a tenth of a second
 * of each start.
 */
export const limitCount = (max: number) => ({ maxSize: max, sizeCalculation: () => 1 })
