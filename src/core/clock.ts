/** Time as the code sees it. Passed in wherever time decides something, so that tests move it. */
export type Clock = {
  /** Unix milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: Date.now }
