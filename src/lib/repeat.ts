import { setTimeout as sleep } from 'node:timers/promises'

/** Runs `work` again and again, `intervalMs` apart and never twice at once, until the signal aborts. */
export async function repeat(
  intervalMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await work()
    // The timer must not hold the process open: whoever started the loop decides how long we live.
    await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
