const SLICE_MS = 100

/**
 * Rejects with `message` when `work` has not settled in time. The work itself goes on. The time is
 * counted in slices, between which the process reads its sockets: a process that was stalled finds
 * the answer that came meanwhile.
 */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number, message: string) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const wait = (leftMs: number) => {
      const next = () =>
        leftMs > SLICE_MS ? wait(leftMs - SLICE_MS) : reject(new TimeoutError(message))
      timer = setTimeout(next, Math.min(leftMs, SLICE_MS))
    }
    wait(timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

export class TimeoutError extends Error {
  override name = 'TimeoutError'
}
