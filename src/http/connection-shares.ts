import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import { Counter, Gauge, type Registry } from 'prom-client'
import { toNetwork } from '../lib/ip-address.js'

/** Below `maxConnections` of the server, which drops newcomers before anything can be closed for them. */
const CONNECTIONS_MAX = 9_900
/** Connections of one account that are not closed for others. Those above it are treated as if they had no key. */
const PROTECTED_PER_ACCOUNT_MAX = 1_000

/** Emitted on a socket with the id of the account, or without one where other limits hold, when a key was accepted. */
export const ADMITTED = 'admitted'

type ConnectionOptions = {
  trustedProxies: readonly string[]
  metrics: Registry
  connectionsMax?: number
  protectedPerAccountMax?: number
}

/** A connection. `address` is `undefined` when it is not closed for others: it has proved a key, or is a proxy's. */
type Held = { socket: Socket; address: AddressShare | undefined; stage: Stage; accountId: number | undefined }

/** No request was answered yet, none runs, one runs: in the order in which connections are closed. */
type Stage = 'fresh' | 'idle' | 'busy'

/** The connections of an address that have proved no key, the longest in their stage first. */
type AddressShare = { name: string; size: number } & Record<Stage, Set<Held>>

/**
 * Shares the TCP connections of a process between addresses (of IPv6: networks of 64 bits). Below the limit
 * every client may connect. At the limit a new connection replaces one of the address that has the most connections
 * without a proved key. An address that has the most itself loses one of its own.
 * Connections of trusted proxies are many clients' each, and left to the limits of the proxy.
 */
export class ConnectionShares {
  readonly #connectionsMax: number
  readonly #protectedPerAccountMax: number
  readonly #isProxy: (address: string, hop: number) => boolean
  readonly #dropped: Counter
  readonly #held = new Map<Socket, Held>()
  readonly #addresses = new Map<string, AddressShare>()
  /** By size, so that the largest is found without a search. */
  readonly #bySize: Set<AddressShare>[] = []
  #sizeMax = 0
  /** Protected connections by account. */
  readonly #protected = new Map<number, number>()

  constructor({ trustedProxies, metrics, connectionsMax, protectedPerAccountMax }: ConnectionOptions) {
    this.#connectionsMax = connectionsMax ?? CONNECTIONS_MAX
    this.#protectedPerAccountMax = protectedPerAccountMax ?? PROTECTED_PER_ACCOUNT_MAX
    this.#isProxy = proxyAddr.compile([...trustedProxies])
    const held = this.#held
    new Gauge({
      name: 'auspex_http_connections',
      help: 'Open TCP connections, WebSockets included',
      registers: [metrics],
      collect() {
        this.set(held.size)
      },
    })
    this.#dropped = new Counter({
      name: 'auspex_http_connections_dropped_total',
      help: 'Connections without a key that were closed because all places were taken',
      registers: [metrics],
    })
  }

  watch(server: Server): void {
    server.on('connection', (socket) => this.#add(socket))
  }

  /** A request begins on a connection, at once or after the answers to the requests before it. */
  begin(socket: Socket, response: ServerResponse): void {
    const held = this.#held.get(socket)
    if (held?.address === undefined) return
    this.#move(held, 'busy')
    response.once('close', () => this.#move(held, 'idle'))
  }

  #add(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const share = this.#isProxy(address, 0) ? undefined : this.#shareOf(toNetwork(address))
    const held: Held = { socket, address: share, stage: 'fresh', accountId: undefined }
    this.#held.set(socket, held)
    socket.once('close', () => this.#remove(held))
    if (share !== undefined) {
      share.fresh.add(held)
      this.#resize(share, 1)
      socket.on(ADMITTED, (accountId?: number) => this.#protect(held, accountId))
    }
    if (this.#held.size > this.#connectionsMax) this.#drop(this.#choose(held))
  }

  /** Which connection is closed for a newcomer: itself if there is none to be closed for it. */
  #choose(newcomer: Held): Held | undefined {
    const [largest] = this.#bySize[this.#sizeMax] ?? []
    const own = newcomer.address
    if (largest === undefined) return undefined
    if (own === undefined || own.size < largest.size) {
      return first(largest.fresh) ?? first(largest.idle) ?? first(largest.busy)
    }
    const share = own.size > 1 ? own : largest
    return first(share.fresh, newcomer) ?? first(share.idle) ?? newcomer
  }

  #drop(held: Held | undefined): void {
    if (held === undefined) return
    this.#dropped.inc()
    // At once: the event comes later, and other newcomers may come before it.
    this.#remove(held)
    held.socket.destroy()
  }

  #protect(held: Held, accountId: number | undefined): void {
    if (held.address === undefined) return
    if (accountId !== undefined) {
      const count = this.#protected.get(accountId) ?? 0
      if (count >= this.#protectedPerAccountMax) return
      this.#protected.set(accountId, count + 1)
    }
    this.#leave(held)
    held.accountId = accountId
    held.socket.removeAllListeners(ADMITTED)
  }

  /** May be called again. */
  #remove(held: Held): void {
    if (!this.#held.delete(held.socket)) return
    this.#leave(held)
    if (held.accountId === undefined) return
    const left = (this.#protected.get(held.accountId) ?? 0) - 1
    if (left > 0) this.#protected.set(held.accountId, left)
    else this.#protected.delete(held.accountId)
  }

  #move(held: Held, stage: Stage): void {
    const { address } = held
    if (address === undefined) return
    address[held.stage].delete(held)
    held.stage = stage
    address[stage].add(held)
  }

  #leave(held: Held): void {
    const { address } = held
    if (address === undefined) return
    address[held.stage].delete(held)
    held.address = undefined
    this.#resize(address, -1)
  }

  #shareOf(name: string): AddressShare {
    const known = this.#addresses.get(name)
    if (known !== undefined) return known
    return { name, size: 0, fresh: new Set(), idle: new Set(), busy: new Set() }
  }

  #resize(share: AddressShare, change: 1 | -1): void {
    this.#bySize[share.size]?.delete(share)
    share.size += change
    if (share.size === 0) this.#addresses.delete(share.name)
    else {
      this.#addresses.set(share.name, share)
      const equals = this.#bySize[share.size] ?? new Set()
      this.#bySize[share.size] = equals.add(share)
    }
    if (share.size > this.#sizeMax) this.#sizeMax = share.size
    else if ((this.#bySize[this.#sizeMax]?.size ?? 0) === 0) this.#sizeMax = share.size
  }
}

/** The first of a set, apart from one. */
function first(set: ReadonlySet<Held>, except?: Held): Held | undefined {
  for (const held of set) if (held !== except) return held
  return undefined
}
