import type { RedisConnection } from '../redis/connection.js'
import { addEntry, followStream } from '../redis/stream.js'
import type { KeyRing } from './key-ring.js'

/** A message only says that something has changed: readers look into the database. */
const STREAM = { name: 'keys', entriesMax: 16 }

type KeyChangesDeps = { keyRing: KeyRing; redis: RedisConnection | undefined }

/**
 * Changes of keys, accounts and sessions, from the process that made them to all others through Redis. They
 * only make a process look earlier: what is not announced, such as a change by a command, or while Redis is lost, is
 * found by the next look at the revisions all the same.
 */
export class KeyChanges {
  readonly #deps: KeyChangesDeps

  constructor(deps: KeyChangesDeps) {
    this.#deps = deps
  }

  /** To be called after the commit: the change is in force in this process then, and a moment later in the others. */
  async announce(): Promise<void> {
    const { keyRing, redis } = this.#deps
    await keyRing.sync()
    if (redis !== undefined) await addEntry(redis, STREAM, ['changed', 'keys'])
  }

  /** Looks whenever another process has announced a change, until the signal aborts or Redis is lost. */
  async follow(signal: AbortSignal): Promise<void> {
    const { keyRing, redis } = this.#deps
    const look = () => keyRing.sync()
    if (redis !== undefined) {
      await followStream(redis, { name: STREAM.name, onOpen: look, onEntries: look }, signal)
    }
  }
}
