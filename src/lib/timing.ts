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

/** The wait after this many failures in a row: doubles up to `maxMs`, plus up to a quarter, so that clients do not retry in step. */
export function backoffMs({ baseMs, maxMs }: Backoff, failures: number): number {
  const ms = Math.min(baseMs * 2 ** (failures - 1), maxMs)
  return ms * (1 + 0.25 * Math.random())
}

/** Any wait up to that of this many failures: clients that lost the same peer come back one by one. */
export function spreadBackoffMs({ baseMs, maxMs }: Backoff, failures: number): number {
  return Math.random() * Math.min(baseMs * 2 ** (failures - 1), maxMs)
}

/** Waits, or ends at once when the signal aborts. The timer does not hold the process open. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
}

/** Runs `work` again and again, `intervalMs` apart and never twice at once, until the signal aborts. */
export async function repeat(
  intervalMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await work()
    await pause(intervalMs, signal)
  }
}

/** Tries once more after each delay; throws what the last attempt threw, or when the signal aborts. */
export async function retry<T>(
  delaysMs: readonly number[],
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await attempt()
    } catch {
      await wait(delayMs, undefined, { signal })
    }
  }
  return await attempt()
}

type Polling = { everyMs: number; timeoutMs?: number; signal?: AbortSignal | undefined }

/** Waits until `isDone` holds. `false`: the time was over or the signal aborted before it did. */
export async function pollUntil(
  isDone: () => boolean,
  { everyMs, timeoutMs = Number.POSITIVE_INFINITY, signal }: Polling,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (!isDone()) {
    if (performance.now() >= deadline || signal?.aborted === true) return false
    await wait(everyMs, undefined, { signal }).catch(() => undefined)
  }
  return true
}
