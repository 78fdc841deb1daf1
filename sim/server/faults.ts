import type { FaultMode, FaultOrder } from './fault-order.js'
import { type Fault, HostFaults } from './host-faults.js'

export const HOST_NAMES = [
  'polygon',
  'gamma',
  'clob',
  'clob_ws',
  'rtds',
  'live_v2',
  'chainlink',
  'data_api',
  'site',
] as const
export type HostName = (typeof HOST_NAMES)[number]

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
