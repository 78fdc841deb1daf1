/** Time as the code sees it. Passed in wherever time decides something, so that tests move it. */
export type Clock = {
  /** Unix milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: Date.now }

/**
 * Whether less than `ageMsMax` has passed since `atMs`. A time to come is none: it was noted before the clock was
 * set back, and by it nothing would be old for as long as the clock was ahead.
 */
export const isYoungerThan = (ageMsMax: number, atMs: number, nowMs: number): boolean =>
  atMs <= nowMs && nowMs - atMs < ageMsMax

/** Whole seconds since a Unix time, never negative; `null` when there is no time, or it is 0. */
export const presentAge = (sec: number | undefined, nowMs: number): number | null =>
  sec === undefined || sec === 0 ? null : Math.max(0, Math.floor(nowMs / 1000) - sec)
