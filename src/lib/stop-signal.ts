/**
 * Aborts when the process is asked to stop. From the call on such signals end it no more: the caller
 * does. Further ones change nothing, because npm sends Ctrl-C a second time.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => controller.abort())
  return controller.signal
}
