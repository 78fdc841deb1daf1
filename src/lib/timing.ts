import { setTimeout as wait } from 'node:timers/promises'

/** A monotonic clock and a sleep, passed in so that tests do not have to wait. */
export type Timing = {
  /** Milliseconds that never go back, unlike the time of day. */
  now(): number
  /** Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemTiming: Timing = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    wait(ms, undefined, { signal }).catch(() => {
      throw signal.reason
    }),
}

type Backoff = { baseMs: number; maxMs: number }

const JITTER_SHARE = 0.25

/** The wait after so many failures in a row: doubles up to `maxMs`, plus jitter, so that clients do not retry in step. */
export function backoffMs({ baseMs, maxMs }: Backoff, failures: number): number {
  const ms = Math.min(baseMs * 2 ** (failures - 1), maxMs)
  return ms * (1 + JITTER_SHARE * Math.random())
}
