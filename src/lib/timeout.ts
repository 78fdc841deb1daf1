/** Rejects with `message` when `work` has not settled in time. The work itself goes on. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number, message: string) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(message)), timeoutMs)
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
