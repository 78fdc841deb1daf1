import type { AttemptResult } from './delivery.js'

/** How long after the first, second, third and fourth failure the next attempt is due. */
export const RETRY_MS = [10_000, 60_000, 5 * 60_000, 60 * 60_000] as const

export const INTERRUPTED = 'interrupted: the service stopped during the attempt'

/** What becomes of a delivery after an attempt. */
export type NextState = {
  state: 'delivered' | 'pending' | 'failed'
  /** Attempts that count. */
  attempts: number
  /** When the next attempt is due; `undefined`: there is none. */
  dueMs: number | undefined
}

/** `attempt` is the number of the one that ended now, from 1. */
export function nextState(attempt: number, { success }: AttemptResult, nowMs: number): NextState {
  if (success) return { state: 'delivered', attempts: attempt, dueMs: undefined }
  const delayMs = RETRY_MS[attempt - 1]
  if (delayMs === undefined) return { state: 'failed', attempts: attempt, dueMs: undefined }
  return { state: 'pending', attempts: attempt, dueMs: nowMs + delayMs }
}
