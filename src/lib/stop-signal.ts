const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** npm sends Ctrl-C a second time, at once: no person has asked twice within this time. */
const ONE_REQUEST_MS = 500

/**
 * `stop` aborts when the process is asked to stop, `hurry` when it is asked again. From the call on such signals end
 * it no more: the caller does.
 */
export function stopSignals(): { stop: AbortSignal; hurry: AbortSignal } {
  const stop = new AbortController()
  const hurry = new AbortController()
  let firstAtMs: number | undefined
  const onSignal = () => {
    firstAtMs ??= performance.now()
    stop.abort()
    if (performance.now() - firstAtMs >= ONE_REQUEST_MS) hurry.abort()
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return { stop: stop.signal, hurry: hurry.signal }
}

/** For commands that end soon after the first signal. */
export const stopSignal = (): AbortSignal => stopSignals().stop
