/** Time as the code sees it. Passed in wherever time decides something, so that tests move it. */
export type Clock = {
  /** Unix milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: Date.now }

/** Whole seconds since a Unix time, never negative; `null` when there is no time, or it is 0. */
export const presentAge = (sec: number | undefined, nowMs: number): number | null =>
  sec === undefined || sec === 0 ? null : Math.max(0, Math.floor(nowMs / 1000) - sec)
