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

/** Skipping every other block is what makes a follower look for the ones in between. */
const RATES: { readonly [Mode in FaultMode]?: number } = { 'missed-heads': 0.5 }

export type Fault = {
  mode: FaultMode
  /** Infinity: until it is switched off. */
  untilMs: number
  rate: number
  delayMs: number
  skewMs: number
}

/** The faults of one host. Several may be on at once, each mode at most once. */
export class HostFaults {
  readonly #now: () => number
  readonly #running = new Map<FaultMode, { fault: Fault; asked: number }>()
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
    }
    this.#running.set(mode, { fault, asked: 0 })
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
    return [...this.#running.keys()].flatMap((mode) => this.get(mode) ?? [])
  }

  get(mode: FaultMode): Fault | undefined {
    return this.#find(mode)?.fault
  }

  /** Whether it hits the request, frame or connection at hand; hits are spread evenly. */
  hits(mode: FaultMode): boolean {
    const running = this.#find(mode)
    if (running === undefined) return false
    running.asked += 1
    const { rate } = running.fault
    return Math.floor(running.asked * rate) > Math.floor((running.asked - 1) * rate)
  }

  /** How long to hold back the answer or frame at hand. */
  delayMs(): number {
    return this.hits('slow') ? (this.get('slow')?.delayMs ?? 0) : 0
  }

  #find(mode: FaultMode) {
    const running = this.#running.get(mode)
    if (running === undefined || running.fault.untilMs > this.#now()) return running
    this.#running.delete(mode)
    return undefined
  }
}
