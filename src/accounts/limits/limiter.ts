/** One request against one bucket. */
export type Charge = { bucket: string; subject: number; limit: number; windowMs: number }

/** What a bucket has left after the request. */
export type Balance = {
  bucket: string
  limit: number
  windowMs: number
  remaining: number
  /** Unix ms at which the oldest counted request leaves the window: the allowance grows then. */
  resetAtMs: number
}

export type Verdict = {
  allowed: boolean
  /** In the order of the charges. */
  balances: Balance[]
  /** The bucket that refuses, or the one with the least left. */
  strictest: Balance
}

/**
 * Counts requests in sliding windows. A request is charged to all its buckets or, when one of them
 * is full, to none. An implementation that asks another process answers with a promise.
 */
export type Limiter = {
  take(charges: readonly Charge[]): Verdict | Promise<Verdict>
}
