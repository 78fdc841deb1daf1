import { setTimeout as sleep } from 'node:timers/promises'

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
      await sleep(delayMs, undefined, { signal })
    }
  }
  return await attempt()
}
