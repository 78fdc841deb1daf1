const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** npm sends Ctrl-C a second time, at once: a second signal within this time is not one of the user. */
const ONE_REQUEST_MS = 500

/**
 * `stop` aborts at the first signal that asks the process to stop, `hurry` at the second. After this call the signals do
 * not end the process any more: the caller has to.
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
