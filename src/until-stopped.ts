import type { Service } from './service.js'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs until a signal asks to stop or the service fails, and takes it down cleanly either way. */
export async function untilStopped(service: Service, onStopping = () => undefined): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    // Further signals change nothing: the stop is bounded in time already.
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve())
  })
  try {
    await Promise.race([asked, service.failed])
  } finally {
    onStopping()
    await service.stop()
  }
}
