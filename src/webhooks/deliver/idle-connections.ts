import type { ReceiverConnection } from './receiver-connection.js'

const IDLE_MAX = 500
/** An account may have many webhooks on one host, with ten requests each. */
const IDLE_PER_ORIGIN_MAX = 250

/** Connections that wait for their next request. An origin without any has no entry. */
export class IdleConnections {
  readonly #byOrigin = new Map<string, ReceiverConnection[]>()
  /** All of them, the longest idle first. */
  readonly #all = new Set<ReceiverConnection>()

  get size(): number {
    return this.#all.size
  }

  get originCount(): number {
    return this.#byOrigin.size
  }

  /** The one that was used last, which its receiver will least likely close at this moment. */
  take(origin: string): ReceiverConnection | undefined {
    const connection = this.#byOrigin.get(origin)?.at(-1)
    if (connection !== undefined) this.remove(connection)
    return connection
  }

  /** Closes the longest idle one when there are too many. */
  add(connection: ReceiverConnection): void {
    if (!connection.isOpen) {
      connection.destroy()
      return
    }
    const ofOrigin = this.#byOrigin.get(connection.origin) ?? []
    this.#byOrigin.set(connection.origin, ofOrigin)
    ofOrigin.push(connection)
    this.#all.add(connection)
    if (ofOrigin.length > IDLE_PER_ORIGIN_MAX) this.#close(ofOrigin[0])
    if (this.#all.size > IDLE_MAX) this.#close(this.#all.values().next().value)
  }

  remove(connection: ReceiverConnection): void {
    if (!this.#all.delete(connection)) return
    const ofOrigin = this.#byOrigin.get(connection.origin) ?? []
    ofOrigin.splice(ofOrigin.indexOf(connection), 1)
    if (ofOrigin.length === 0) this.#byOrigin.delete(connection.origin)
  }

  closeAll(): void {
    for (const connection of [...this.#all]) this.#close(connection)
  }

  #close(connection: ReceiverConnection | undefined): void {
    if (connection === undefined) return
    this.remove(connection)
    connection.destroy()
  }
}
