import { createHash } from 'node:crypto'
import { Redis as RedisClient } from 'ioredis'
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.js'
import { messageOf } from '../core/errors.js'
import type { Log } from '../lib/log.js'
import { withTimeout } from '../lib/timeout.js'
import { pause, pollUntil } from '../lib/timing.js'

/** A command that takes longer is given up, and Redis counts as lost: requests wait for it. */
const COMMAND_MS_MAX = 250
const CONNECT_MS_MAX = 1_000
const PULSE_MS = 1_000
const BACKOFF_MS = [50, 100, 200, 500, 1_000, 2_000]
/** How often a reader looks whether a lost Redis is back. */
const POLL_MS = 50

type RedisOptions = { url: string; clock: Clock; log: Log; registry: Registry }

/**
 * Redis as the service sees it. `starting` until it answers for the first time, then `ready` or, while it is
 * tried again with backoff, `lost`; from there back to `ready` by itself. While it is not ready every
 * command is refused at once, so that no request waits for it.
 *
 * A server that hangs keeps its connections: so each loss ends the connection, and a new one has to prove
 * that the server writes before it is used.
 */
export class RedisConnection {
  readonly #options: RedisOptions
  readonly #roundTrips: Histogram<'command'>
  #client: RedisClient | undefined
  readonly #shas = new Map<string, string>()
  #wake = (): void => undefined
  #namespace = ''
  /** The node of a Cluster that has the keys; `undefined`: the one that the operator has named. */
  #node: string | undefined
  #problem: string | undefined = 'redis: starting'
  #lostAtMs: number | undefined
  #isStarting = true
  #endStart = (): void => undefined
  /** Resolves when Redis has answered for the first time, or has not. */
  readonly started = new Promise<void>((resolve) => {
    this.#endStart = resolve
  })

  constructor(options: RedisOptions) {
    this.#options = options
    this.#roundTrips = createMetrics(options.registry, () => this.#problem === undefined)
  }

  /** What is wrong, in words; `undefined` while Redis answers. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Whether it is not known yet if Redis answers: see `started`. */
  get isStarting(): boolean {
    return this.#isStarting
  }

  /** Unix ms; `undefined`: it answers, or has not answered yet. */
  get lostAtMs(): number | undefined {
    return this.#lostAtMs
  }

  /**
   * The name of a key. All keys of a database are in one slot of a Redis Cluster, so that a script may use
   * several, and apart from those of other databases.
   */
  keyOf(name: string): string {
    return `auspex:{${this.#namespace}}:${name}`
  }

  /** Connects and watches until the signal aborts. `namespace`: one for each database. */
  async run(namespace: string, signal: AbortSignal): Promise<void> {
    this.#namespace = namespace
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#check()
        this.#becomeReady()
        failures = 0
        await Promise.race([pause(PULSE_MS, signal), this.#untilLost()])
      } catch (error) {
        if (signal.aborted) return
        this.#becomeLost(error)
        await pause(BACKOFF_MS[failures++] ?? BACKOFF_MS.at(-1) ?? 0, signal)
      }
    }
  }

  /** One round trip. Throws when Redis is lost, or does not answer in time, which makes it lost. */
  async call<T>(command: string, send: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client
    if (client === undefined || this.#problem !== undefined) throw new Error(this.#problem)
    return await this.#send(client, command, send)
  }

  /** One round trip for a script; two after a restart of the server, which has forgotten it. */
  callScript(command: string, script: string, keys: readonly string[], argument: string): Promise<unknown> {
    return this.call(command, async (client) => {
      try {
        return await client.evalsha(this.#shaOf(script), keys.length, ...keys, argument)
      } catch (error) {
        if (!messageOf(error).startsWith('NOSCRIPT')) throw error
        return await client.eval(script, keys.length, ...keys, argument)
      }
    })
  }

  /** A connection of the caller's own, for commands that wait. To be disconnected by the caller. */
  async open(): Promise<RedisClient> {
    const { client, fault } = createClient(this.#urlOf(this.#node))
    try {
      await withTimeout(client.connect(), CONNECT_MS_MAX, `no answer within ${CONNECT_MS_MAX} ms`)
      return client
    } catch (error) {
      client.disconnect()
      this.#node = undefined
      throw fault() ?? error
    }
  }

  /** Waits until Redis answers. `false`: the signal aborted before. */
  untilReady(signal: AbortSignal): Promise<boolean> {
    return pollUntil(() => this.#problem === undefined, { everyMs: POLL_MS, signal })
  }

  close(): void {
    const client = this.#client
    this.#client = undefined
    this.#settle('redis: closed')
    client?.disconnect()
  }

  #untilLost(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  async #check(): Promise<void> {
    const client = this.#client ?? (await this.#connect())
    // Not PING: a replica and a server without memory answer that, and refuse everything else.
    await this.#send(client, 'probe', () => client.set(this.keyOf('probe'), '1', 'PX', 60_000))
    // A command that took too long may have given the connection up while this answer was on its way.
    if (this.#client !== client) throw new Error('the connection was given up')
  }

  async #connect(): Promise<RedisClient> {
    const client = await this.open()
    client.once('close', () => {
      if (this.#client === client) this.#becomeLost(new Error('the connection was closed'))
    })
    this.#client = client
    return client
  }

  async #send<T>(
    client: RedisClient,
    command: string,
    send: (client: RedisClient) => Promise<T>,
  ): Promise<T> {
    const stop = this.#roundTrips.startTimer({ command })
    try {
      return await withTimeout(send(client), COMMAND_MS_MAX, `no answer within ${COMMAND_MS_MAX} ms`)
    } catch (error) {
      if (this.#client === client) this.#becomeLost(error)
      throw error
    } finally {
      stop()
    }
  }

  #urlOf(node: string | undefined): string {
    const url = new URL(this.#options.url)
    if (node !== undefined) url.host = node
    return url.toString()
  }

  #shaOf(script: string): string {
    const sha = this.#shas.get(script) ?? createHash('sha1').update(script).digest('hex')
    this.#shas.set(script, sha)
    return sha
  }

  #becomeReady(): void {
    if (this.#problem === undefined) return
    this.#settle(undefined)
    this.#lostAtMs = undefined
    this.#options.log.info('redis is ready')
  }

  #becomeLost(error: unknown): void {
    const client = this.#client
    this.#client = undefined
    client?.disconnect()
    // The text alone: errors of the driver carry the command, and that of AUTH has the password.
    const reason = messageOf(error)
    this.#node = redirectionOf(reason)
    if (this.#lostAtMs === undefined) {
      this.#lostAtMs = this.#options.clock.now()
      this.#options.log.warn({ reason }, 'redis is not available')
    }
    this.#settle(`redis: ${reason}`)
    this.#wake()
  }

  #settle(problem: string | undefined): void {
    this.#problem = problem
    this.#isStarting = false
    this.#endStart()
  }
}

/** All keys are in one slot, so one node of a Cluster has them all: a redirection is another server to connect to. */
const redirectionOf = (reason: string): string | undefined => /^MOVED \d+ (.+:\d+)$/.exec(reason)?.[1]

/** The reason for which a connection failed is in an event; the rejection says that it is closed. */
function createClient(url: string) {
  let fault: Error | undefined
  const client = new RedisClient(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    protocol: 2,
  })
  client.on('error', (error: Error) => {
    fault = error
  })
  return { client, fault: () => fault }
}

function createMetrics(registry: Registry, isUp: () => boolean): Histogram<'command'> {
  const registers = [registry]
  new Gauge({
    name: 'auspex_redis_up',
    help: '1 while Redis answers',
    registers,
    collect() {
      this.set(isUp() ? 1 : 0)
    },
  })
  return new Histogram({
    name: 'auspex_redis_round_trip_seconds',
    help: 'Time from sending a command to Redis to its answer, or to giving it up',
    labelNames: ['command'] as const,
    buckets: [0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
    registers,
  })
}
