import { type FaultMode, type FaultOrder, HOST_NAMES, type HostName } from './fault-order.js'

/** What is broken right now, host by host. Faults that have a duration end by themselves. */
export class Faults {
  readonly #hosts: ReadonlyMap<HostName, HostFaults>

  /** `now` is the clock of the durations: real milliseconds, not the time of the universe. */
  constructor(now: () => number = Date.now) {
    this.#hosts = new Map(HOST_NAMES.map((name) => [name, new HostFaults(now)]))
  }

  set({ upstream, mode, ...rest }: FaultOrder): void {
    for (const name of upstream === '*' ? HOST_NAMES : [upstream]) {
      if (mode === 'off') this.of(name).clear()
      else this.of(name).set(mode, rest)
    }
  }

  of(name: HostName): HostFaults {
    const faults = this.#hosts.get(name)
    if (faults === undefined) throw new Error(`no host is called ${name}`)
    return faults
  }

  active(name: HostName): FaultMode[] {
    return this.of(name)
      .list()
      .map(({ mode }) => mode)
  }

  /** By how much the clock of the host is wrong. */
  skewMs(name: HostName): number {
    return this.of(name).get('skew')?.skewMs ?? 0
  }

  /** Hosts that have a fault, with what is on. */
  all(): { name: HostName; faults: Fault[] }[] {
    return HOST_NAMES.map((name) => ({ name, faults: this.of(name).list() })).filter(
      ({ faults }) => faults.length > 0,
    )
  }
}

const DELAY_MS = 3_000
const SKEW_MS = 60_000
const BLOCKS = 3

/**
 * Skipping every other block is what makes a follower look for the ones in between. What contradicts itself in
 * every answer can be read by no client.
 */
const RATES: { readonly [Mode in FaultMode]?: number } = {
  'missed-heads': 0.5,
  'missing-logs': 0.5,
  'doubled-logs': 0.5,
  'contradicting-logs': 0.5,
  'head-back': 0.5,
  'two-nodes': 0.5,
}

export type Fault = {
  mode: FaultMode
  /** Infinity: until it is switched off. */
  untilMs: number
  rate: number
  delayMs: number
  skewMs: number
  blocks: number
  /** Only requests whose path begins with this; `undefined`: all. */
  path: string | undefined
}

type Running = { fault: Fault; asked: number }

/** The faults of one host. Several may be on at once, each mode at most once for each path. */
export class HostFaults {
  readonly #now: () => number
  readonly #running = new Map<string, Running>()
  readonly #listeners = new Set<(mode: FaultMode) => void>()

  constructor(now: () => number) {
    this.#now = now
  }

  set(mode: FaultMode, order: Omit<FaultOrder, 'upstream' | 'mode'>): void {
    const fault = {
      mode,
      untilMs: this.#now() + (order.seconds ?? Number.POSITIVE_INFINITY) * 1_000,
      rate: order.rate ?? RATES[mode] ?? 1,
      delayMs: order.delayMs ?? DELAY_MS,
      skewMs: order.skewMs ?? SKEW_MS,
      blocks: order.blocks ?? BLOCKS,
      path: order.path,
    }
    this.#running.set(`${mode} ${order.path ?? ''}`, { fault, asked: 0 })
    for (const listener of this.#listeners) listener(mode)
  }

  clear(): void {
    this.#running.clear()
  }

  /** Calls back when a fault is switched on: some hit connections that are already open. */
  onSet(listener: (mode: FaultMode) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  list(): Fault[] {
    return this.#current().map(({ fault }) => fault)
  }

  get(mode: FaultMode, path?: string): Fault | undefined {
    return this.#find(mode, path)?.fault
  }

  /**
   * Whether it hits the request, frame or connection at hand; hits are spread evenly. Faults of some
   * paths hit requests alone.
   */
  hits(mode: FaultMode, path?: string): boolean {
    const running = this.#find(mode, path)
    if (running === undefined) return false
    running.asked += 1
    const { rate } = running.fault
    return Math.floor(running.asked * rate) > Math.floor((running.asked - 1) * rate)
  }

  /** How long to hold back the answer or frame at hand. */
  delayMs(path?: string): number {
    return this.hits('slow', path) ? (this.get('slow', path)?.delayMs ?? 0) : 0
  }

  /** The one of the whole host comes before those of paths. */
  #find(mode: FaultMode, path: string | undefined): Running | undefined {
    if (this.#running.size === 0) return undefined
    const found = this.#current().filter(({ fault }) => fault.mode === mode)
    return (
      found.find(({ fault }) => fault.path === undefined) ??
      found.find(({ fault }) => path?.startsWith(fault.path ?? ''))
    )
  }

  /** Those whose time is over are dropped. */
  #current(): Running[] {
    for (const [key, { fault }] of this.#running) {
      if (fault.untilMs <= this.#now()) this.#running.delete(key)
    }
    return [...this.#running.values()]
  }
}
