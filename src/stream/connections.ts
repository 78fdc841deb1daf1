import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.js'
import type { ClientConnection } from './client-connection.js'
import { CLOSE, type SocketKind } from './connection.js'
import { createPing, createTextFrame } from './fast/shared-frame.js'

/** Every connection gets a Ping, and on the event socket a heartbeat message, once in this time. */
const HEARTBEAT_SECONDS = 30
const SILENCE_MS_MAX = 5 * 60_000
/** Beats are far less than a second apart: a larger step is one of the clock. */
const STEP_MS_MAX = 2 * SILENCE_MS_MAX
/** A client that is there answers the Ping of every 30 seconds. */
const ANSWER_MS_MAX = 35_000

/**
 * The open connections of the process. They are spread over the seconds of the heartbeat's period, so that each
 * second has a part of the work and no connection needs a timer.
 */
export class Connections {
  readonly #clock: Clock
  readonly #all = new Set<ClientConnection>()
  readonly #bySecond = Array.from({ length: HEARTBEAT_SECONDS }, () => new Set<ClientConnection>())
  readonly #addresses = new Map<string, number>()
  readonly #entries = new Map<ClientConnection, { second: number; address: string }>()
  #beatenToSec: number
  #added = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#beatenToSec = toSec(clock.now())
  }

  get size(): number {
    return this.#all.size
  }

  [Symbol.iterator](): IterableIterator<ClientConnection> {
    return this.#all.values()
  }

  countOf(address: string): number {
    return this.#addresses.get(address) ?? 0
  }

  add(connection: ClientConnection, address: string): void {
    const second = this.#added++ % HEARTBEAT_SECONDS
    this.#all.add(connection)
    this.#bySecond[second]?.add(connection)
    this.#addresses.set(address, this.countOf(address) + 1)
    this.#entries.set(connection, { second, address })
  }

  delete(connection: ClientConnection): void {
    const entry = this.#entries.get(connection)
    if (entry === undefined) return
    this.#entries.delete(connection)
    this.#all.delete(connection)
    this.#bySecond[entry.second]?.delete(connection)
    const left = this.countOf(entry.address) - 1
    if (left > 0) this.#addresses.set(entry.address, left)
    else this.#addresses.delete(entry.address)
  }

  countReplays(): number {
    let count = 0
    for (const { socket } of this.#all) if (socket === 'replay') count++
    return count
  }

  /** A connection of the account whose client has not answered the last Ping: it may be gone without a word. */
  findSilent(accountId: number, socket: SocketKind): ClientConnection | undefined {
    const seenBeforeMs = this.#clock.now() - ANSWER_MS_MAX
    for (const connection of this.#all) {
      const isOfAccount = connection.caller.accountId === accountId && connection.socket === socket
      if (isOfAccount && connection.seenAtMs < seenBeforeMs) return connection
    }
    return undefined
  }

  /** Sends the heartbeats that are due, and closes connections whose client is silent or out of time. */
  beat(): void {
    const nowMs = this.#clock.now()
    const nowSec = toSec(nowMs)
    // The time of day was set, or the process stood still: clients have been silent for no longer than before.
    if (Math.abs(nowSec - this.#beatenToSec) * 1_000 > STEP_MS_MAX) {
      for (const connection of this.#all) connection.restartSilence()
    }
    if (nowSec < this.#beatenToSec) this.#beatenToSec = nowSec - 1
    const fromSec = Math.max(this.#beatenToSec + 1, nowSec - HEARTBEAT_SECONDS + 1)
    this.#beatenToSec = nowSec
    for (let sec = fromSec; sec <= nowSec; sec++) this.#beatSecond(sec, nowMs)
    for (const connection of this.#all) {
      if (connection.leftMs(nowMs) <= 0) closeForTime(connection)
    }
  }

  #beatSecond(sec: number, nowMs: number): void {
    const heartbeat = createTextFrame(JSON.stringify({ type: 'heartbeat', ts: nowMs }))
    const ping = createPing()
    for (const connection of this.#bySecond[sec % HEARTBEAT_SECONDS] ?? []) {
      if (nowMs - connection.seenAtMs >= SILENCE_MS_MAX) {
        connection.close(CLOSE.idle, 'no frame from the client for 5 minutes')
        continue
      }
      if (connection.socket !== 'orderbook') connection.push(heartbeat)
      connection.push(ping)
    }
  }
}

function closeForTime(connection: ClientConnection): void {
  connection.sendError(OUT_OF_TIME)
  connection.close(CLOSE.limit, 'session_limit')
}

export const OUT_OF_TIME = {
  code: 'session_limit',
  message: 'The time that the plan allows per day is used up. It starts anew at 00:00 UTC.',
}

const toSec = (ms: number): number => Math.floor(ms / 1000)

/** The connections themselves are counted when the metrics are read. */
export function createSocketMetrics(registry: Registry, connections: Connections) {
  const registers = [registry]
  const common = { registers }
  new Gauge({
    ...common,
    name: 'auspex_ws_connections',
    help: 'Open WebSockets, by socket: events, orderbook, replay',
    labelNames: ['socket'] as const,
    collect() {
      const all = [...connections]
      for (const socket of ['events', 'orderbook', 'replay'] as const) {
        this.set({ socket }, all.filter((connection) => connection.socket === socket).length)
      }
    },
  })
  new Gauge({
    ...common,
    name: 'auspex_ws_firehose_connections',
    help: 'Open WebSockets with a subscription without a narrowing filter',
    collect() {
      this.set(countFirehoses(connections))
    },
  })
  new Gauge({
    ...common,
    name: 'auspex_ws_waiting_bytes',
    help: 'Bytes that wait for clients; frames that several clients wait for count for each',
    collect() {
      this.set([...connections].reduce((sum, { waitingBytes }) => sum + waitingBytes, 0))
    },
  })
  return {
    opened: new Counter({
      ...common,
      name: 'auspex_ws_opened_total',
      help: 'WebSockets that were admitted, by socket',
      labelNames: ['socket'] as const,
    }),
    closed: new Counter({
      ...common,
      name: 'auspex_ws_closed_total',
      help: 'WebSockets that ended, by the close code of the service; client: the client ended it',
      labelNames: ['code'] as const,
    }),
    refused: new Counter({
      ...common,
      name: 'auspex_ws_refused_total',
      help: 'WebSockets that were not admitted, by reason',
      labelNames: ['reason'] as const,
    }),
    sentBytes: new Counter({
      ...common,
      name: 'auspex_ws_sent_bytes_total',
      help: 'Payload bytes of live messages that were sent, by meter',
      labelNames: ['meter'] as const,
    }),
  }
}

export const countFirehoses = (connections: Connections): number =>
  [...connections].filter(({ hasFirehose }) => hasFirehose).length
