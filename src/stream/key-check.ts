import type { Caller, KeyRing } from '../accounts/key-ring.js'
import type { Connections } from './connections.js'
import { CLOSE } from './socket-error.js'

/** Closes connections whose key was revoked or whose plan was changed, some seconds later at most. */
export class KeyCheck {
  readonly #keyRing: KeyRing
  readonly #connections: Connections
  #checkedRevision: bigint
  #isRunning = false

  constructor(keyRing: KeyRing, connections: Connections) {
    this.#keyRing = keyRing
    this.#connections = connections
    this.#checkedRevision = keyRing.revision
  }

  /** Looks all keys up again if a key or an account has changed since the last time. */
  run(): void {
    const { revision } = this.#keyRing
    if (this.#isRunning || revision === this.#checkedRevision) return
    this.#isRunning = true
    this.#check()
      .then(() => {
        this.#checkedRevision = revision
      })
      // The database does not answer: the next beat tries again.
      .catch(() => undefined)
      .finally(() => {
        this.#isRunning = false
      })
  }

  async #check(): Promise<void> {
    const callers = new Map<string, Caller | undefined>()
    for (const connection of [...this.#connections]) {
      const { digest } = connection
      if (!callers.has(digest)) callers.set(digest, await this.#find(digest))
      const caller = callers.get(digest)
      if (caller === undefined) {
        connection.sendError({ code: 'forbidden', message: 'The API key was revoked.' })
        connection.close(CLOSE.forbidden, 'the API key was revoked')
      } else if (caller.plan.id !== connection.caller.plan.id) {
        connection.close(CLOSE.restart, 'the plan has changed: connect again')
      }
    }
  }

  async #find(digest: string): Promise<Caller | undefined> {
    return this.#keyRing.recall(digest) ?? (await this.#keyRing.find(digest))
  }
}
