import { tooManyRequests } from '../../core/errors.js'
import { pause } from '../../lib/timing.js'

/** How often a poll that waits looks for events. */
const LOOK_MS = 200
/** Polls of an account that wait in this process. */
const POLLS_MAX = 3

/** Requests for events that wait until some are there. Between two looks they hold no connection. */
export class EventPolls {
  readonly #counts = new Map<number, number>()

  /** Looks until something is found, the time is over or the signal aborts: then empty. */
  async wait<Found>(
    { accountId, waitMs, signal }: { accountId: number; waitMs: number; signal: AbortSignal },
    look: () => Promise<Found[]>,
  ): Promise<Found[]> {
    const count = this.#counts.get(accountId) ?? 0
    if (count >= POLLS_MAX) {
      throw tooManyRequests(`${POLLS_MAX} requests of this account wait for events already.`, LOOK_MS)
    }
    this.#counts.set(accountId, count + 1)
    try {
      return await lookUntil(performance.now() + waitMs, signal, look)
    } finally {
      const left = (this.#counts.get(accountId) ?? 1) - 1
      if (left === 0) this.#counts.delete(accountId)
      else this.#counts.set(accountId, left)
    }
  }
}

async function lookUntil<Found>(
  deadlineMs: number,
  signal: AbortSignal,
  look: () => Promise<Found[]>,
): Promise<Found[]> {
  while (!signal.aborted) {
    const found = await look()
    const leftMs = deadlineMs - performance.now()
    if (found.length > 0 || leftMs <= 0) return found
    await pause(Math.min(LOOK_MS, leftMs), signal)
  }
  return []
}
