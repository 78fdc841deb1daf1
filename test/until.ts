import { vi } from 'vitest'

/** Waits until the condition holds; fails with its text when that takes too long. */
export function until(condition: () => boolean, timeout = 60_000): Promise<void> {
  const check = () => {
    if (!condition()) throw new Error(`still waiting until ${condition}`)
  }
  return vi.waitFor(check, { timeout, interval: 4 })
}
