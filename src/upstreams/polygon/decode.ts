import { DecodeError } from './abi.js'
import { type DecodedEvent, EMITTERS } from './events.js'
import { LogReader } from './fast/log-reader.js'
import type { ChainLog } from './log.js'

export type DecodedLogs = {
  events: DecodedEvent[]
  /** Logs that claim to be an event and do not decode. They are kept for a person to look at. */
  broken: { log: ChainLog; error: DecodeError }[]
}

/** Decodes logs by their emitter. It has some megabytes of caches: make one and keep it. */
export class LogDecoder {
  readonly #reader = new LogReader()

  /**
   * `undefined`: the contract is none of ours. Throws DecodeError: the log claims to be a known event
   * and does not decode.
   */
  decode(log: ChainLog): DecodedEvent | undefined {
    const emitter = EMITTERS.get(log.at.address)
    if (emitter === undefined) return undefined
    const topic0 = log.topics[0]
    // Topics that differ do so in their first digits: comparing a few of them is quicker than hashing one.
    for (const decoder of emitter.events)
      if (decoder.topic0 === topic0) return decoder.decode(log, emitter.contract, this.#reader)
    return { kind: 'unknown', at: log.at, topics: log.topics, data: log.data }
  }

  /** Decodes logs in their order and leaves out those of other contracts. A broken log stops no other. */
  decodeAll(logs: readonly ChainLog[]): DecodedLogs {
    const decoded: DecodedLogs = { events: [], broken: [] }
    for (const log of logs) {
      try {
        const event = this.decode(log)
        if (event !== undefined) decoded.events.push(event)
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error
        decoded.broken.push({ log, error })
      }
    }
    return decoded
  }
}
