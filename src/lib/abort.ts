import { setMaxListeners } from 'node:events'

/**
 * Runs work under a controller that aborts with any of the signals, and removes its listeners
 * afterwards: `AbortSignal.any` would keep an entry for each of the millions of calls that one
 * signal of the service sees.
 */
export async function withLinked<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (linked: AbortController) => Promise<T>,
): Promise<T> {
  const linked = new AbortController()
  const unlinks: (() => void)[] = []
  try {
    for (const signal of signals) {
      if (signal !== undefined) unlinks.push(onAbort(signal, () => linked.abort(signal.reason)))
    }
    linked.signal.throwIfAborted()
    return await work(linked)
  } finally {
    for (const unlink of unlinks) unlink()
  }
}

/** Calls the listener once: at the abort, or now if the signal is aborted. Returns what removes the listener. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener()
    return () => undefined
  }
  // Many calls wait on one signal, which Node.js would report as a leak.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}

/** Waits for a promise, or for the signal if that comes first. */
export async function untilAborted(promise: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  if (promise === undefined) return
  let unlink = () => {}
  const aborted = new Promise<void>((resolve) => {
    unlink = onAbort(signal, resolve)
  })
  await Promise.race([promise, aborted]).finally(unlink)
}
