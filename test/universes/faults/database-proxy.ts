import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { MessageScanner } from './database-messages.js'

/** Where a connection is cut: before the database gets the commit, or after it has committed and before the client knows. */
export type CutMoment = 'before' | 'after'

/** Stands between the services and their PostgreSQL, as the network does. */
export type DatabaseProxy = {
  readonly port: number
  /** How many connections are open. */
  readonly connections: number
  cutAll(): void
  /** Cuts the next connection that commits, at this moment. `false`: `cancelCuts` came first. */
  cutDuringCommit(moment: CutMoment): Promise<boolean>
  /** Gives up the cuts that still wait for a commit. */
  cancelCuts(): void
  /** Carries nothing in either direction for this time. Connections stay open, and new ones are accepted. */
  stall(ms: number): Promise<void>
  close(): Promise<void>
}

/** A commit that is waited for, or whose answer is. */
type Cut = { moment: CutMoment; end: (isDone: boolean) => void }

const COMMIT = /^\s*commit\b/i

export async function openDatabaseProxy(targetPort: number): Promise<DatabaseProxy> {
  const pairs = new Set<Pair>()
  const waiting: Cut[] = []
  let stalls = 0
  const server = createServer({ noDelay: true }, (client) => {
    const pair = new Pair(client, targetPort, () => waiting.shift())
    pairs.add(pair)
    client.once('close', () => pairs.delete(pair))
    if (stalls > 0) pair.pause()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const cutAll = () => {
    for (const pair of pairs) pair.cut()
  }
  const cancelCuts = () => {
    for (const cut of waiting.splice(0)) cut.end(false)
  }
  return {
    port,
    get connections() {
      return pairs.size
    },
    cutAll,
    cutDuringCommit: (moment) => new Promise((end) => waiting.push({ moment, end })),
    cancelCuts,
    stall: async (ms) => {
      stalls++
      for (const pair of pairs) pair.pause()
      await new Promise((next) => setTimeout(next, ms))
      stalls--
      if (stalls > 0) return
      for (const pair of pairs) pair.resume()
    },
    close: async () => {
      server.close()
      cancelCuts()
      cutAll()
      await once(server, 'close')
    },
  }
}

/** A connection of a client, and the one to the database that belongs to it. */
class Pair {
  readonly #client: Socket
  readonly #database: Socket
  readonly #takeCut: () => Cut | undefined
  /** The prepared statements that commit, by name. */
  readonly #commits = new Set<string>()
  /** Whose commit has been passed on, and not answered yet. */
  #cut: Cut | undefined

  constructor(client: Socket, targetPort: number, takeCut: () => Cut | undefined) {
    this.#client = client
    this.#database = connect({ host: '127.0.0.1', port: targetPort, noDelay: true })
    this.#takeCut = takeCut
    for (const socket of [this.#client, this.#database]) {
      socket.on('error', () => this.cut())
      socket.on('close', () => this.cut())
    }
    this.#carryRequests()
    this.#carryAnswers()
  }

  cut(): void {
    this.#cut?.end(true)
    this.#client.destroy()
    this.#database.destroy()
  }

  pause(): void {
    this.#client.pause()
    this.#database.pause()
  }

  resume(): void {
    this.#client.resume()
    this.#database.resume()
  }

  #carryRequests(): void {
    const scanner = new MessageScanner({ hasStartup: true, kinds: 'QPB' })
    this.#client.on('data', (chunk: Buffer) => {
      for (const message of scanner.scan(chunk)) {
        if (!this.#isCommit(message.kind, message.body)) continue
        this.#cut ??= this.#takeCut()
        if (this.#cut?.moment !== 'before') continue
        // What was sent before it reaches the database; the commit does not, so that it rolls back.
        this.#database.end(chunk.subarray(0, Math.max(0, message.start)))
        this.#client.destroy()
        return
      }
      this.#database.write(chunk)
    })
  }

  #carryAnswers(): void {
    const scanner = new MessageScanner({ hasStartup: false, kinds: 'CE' })
    this.#database.on('data', (chunk: Buffer) => {
      const messages = scanner.scan(chunk)
      if (this.#cut === undefined) {
        this.#client.write(chunk)
        return
      }
      // An answer to an earlier request is lost as well: the client cannot tell.
      const isAnswered = messages.some(
        ({ kind, body }) => kind === 'E' || /^(COMMIT|ROLLBACK)/.test(text(body)),
      )
      if (isAnswered) this.cut()
    })
  }

  /** Requests that commit: as text, or by running a statement that was prepared before. */
  #isCommit(kind: string, body: Buffer): boolean {
    if (kind === 'Q') return COMMIT.test(text(body))
    const [name = '', second = ''] = text(body).split('\0', 2)
    if (kind === 'B') return this.#commits.has(second)
    if (COMMIT.test(second)) this.#commits.add(name)
    else this.#commits.delete(name)
    return false
  }
}

const text = (body: Buffer): string => body.toString('latin1')
