import type { Service } from './service.js'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Moments = { onStart?: () => Promise<void>; onStopping?: () => void }

/** Runs until a signal asks to stop or the service fails, and takes it down cleanly either way. */
export async function untilStopped(service: Service, moments: Moments = {}): Promise<void> {
  const { onStart = async () => undefined, onStopping = () => undefined } = moments
  const asked = new Promise<void>((resolve) => {
    // Further signals change nothing: the stop is bounded in time already.
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve())
  })
  try {
    const started = onStart().then(() => asked)
    await Promise.race([asked, started, service.failed])
  } finally {
    onStopping()
    await service.stop()
  }
}
