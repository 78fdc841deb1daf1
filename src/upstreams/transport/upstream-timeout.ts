import { UpstreamError } from '../../core/upstream-error.js'
import { startTimeout } from '../../lib/timeout.js'

/** Together with its tries and waits, a call may take longer than a caller of ours waits. */
const TIMEOUT_MS = 8_000

/** Makes calls whose answer a request waits for. Throws an `UpstreamError` when they take too long. */
export async function withUpstreamTimeout<T>(
  upstream: string,
  call: (signal: AbortSignal) => Promise<T>,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const waiting = new AbortController()
  const stop = startTimeout(timeoutMs, () => {
    const message = `gave no answer within ${timeoutMs} ms`
    waiting.abort(new UpstreamError(message, { upstream, retryable: true }))
  })
  try {
    return await call(waiting.signal)
  } finally {
    stop()
  }
}
