const SLICE_MS = 100

/**
 * Calls `onLate` when the time is over, unless the returned function was called before. The time is
 * counted in slices, between which the process reads its sockets: a process that was stalled finds the
 * answer that came meanwhile, and does not blame the peer.
 */
export function startTimeout(timeoutMs: number, onLate: () => void): () => void {
  let timer: NodeJS.Timeout
  const wait = (leftMs: number) => {
    const next = () => (leftMs > SLICE_MS ? wait(leftMs - SLICE_MS) : onLate())
    timer = setTimeout(next, Math.min(leftMs, SLICE_MS))
  }
  wait(timeoutMs)
  return () => clearTimeout(timer)
}

/** Rejects with `message` when `work` has not settled in time. The work itself goes on. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number, message: string) {
  let stop = (): void => undefined
  const late = new Promise<never>((_, reject) => {
    stop = startTimeout(timeoutMs, () => reject(new TimeoutError(message)))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
  }
}

export class TimeoutError extends Error {
  override name = 'TimeoutError'
}
