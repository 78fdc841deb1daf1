/** How an upstream did since the start of the process. Times are Unix milliseconds. */
export type UpstreamRecord = {
  /** Answers, and sockets that were opened. */
  successes: number
  faults: number
  lastOkMs: number | undefined
  lastFault: { message: string; atMs: number } | undefined
}

/** Remembers for each upstream how often it answered and failed, and how it failed last. */
export class UpstreamHealth {
  readonly #records = new Map<string, UpstreamRecord>()

  succeeded(upstream: string, nowMs: number): void {
    const record = this.of(upstream)
    record.successes++
    record.lastOkMs = nowMs
  }

  /** `message`: without the keys of the address. */
  failed(upstream: string, message: string, nowMs: number): void {
    const record = this.of(upstream)
    record.faults++
    record.lastFault = { message, atMs: nowMs }
  }

  /** The record of an upstream by its name; it is empty before the first call. */
  of(upstream: string): UpstreamRecord {
    const known = this.#records.get(upstream)
    if (known !== undefined) return known
    const record = { successes: 0, faults: 0, lastOkMs: undefined, lastFault: undefined }
    this.#records.set(upstream, record)
    return record
  }

  /** Faults of each upstream since the start. */
  countFaults(): Map<string, number> {
    return new Map([...this.#records].map(([upstream, { faults }]) => [upstream, faults]))
  }
}
