import { setMaxListeners } from 'node:events'

/**
 * Runs work under a controller that aborts with any of the signals, and lets go of them afterwards:
 * one signal of the service may see millions of calls, and `AbortSignal.any` keeps a trace of each.
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

/** Calls the listener once, at once when it is too late. Returns how to take it back. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener()
    return () => undefined
  }
  // Many calls wait on one signal; that is no leak, and Node.js must not warn of one.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}
