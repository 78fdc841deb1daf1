/** A count from a request, moved into 1 to `max` where it is out of range. */
export const clampCount = (count: number, max: number): number => Math.min(Math.max(count, 1), max)
