type Backoff = { baseMs: number; maxMs: number }

const JITTER_SHARE = 0.25

/** The wait after so many failures in a row: doubles up to `maxMs`, plus jitter against herds. */
export function backoffMs({ baseMs, maxMs }: Backoff, failures: number): number {
  const ms = Math.min(baseMs * 2 ** (failures - 1), maxMs)
  return ms * (1 + JITTER_SHARE * Math.random())
}
