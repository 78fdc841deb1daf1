import { vi } from 'vitest'

/** The library gives up after a second, which a busy machine needs for one query. */
const TIMEOUT_MS = 60_000

// Files that share a worker share `vi`, too.
if (vi.waitFor.name !== 'waitLonger') {
  const { waitFor } = vi
  vi.waitFor = function waitLonger(callback, options = {}) {
    return waitFor(callback, typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options })
  }
}
