import { setTimeout as wait } from 'node:timers/promises'

/** How connectors measure and wait. Passed in, so that tests wait for nothing. */
export type Timing = {
  /** Milliseconds that only ever grow: the time of day may be set back while somebody waits. */
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
