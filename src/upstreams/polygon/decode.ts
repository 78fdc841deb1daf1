import { DecodeError } from './abi.js'
import { type DecodedEvent, EMITTERS } from './events.js'
import type { ChainLog } from './log.js'

/**
 * `undefined`: the contract is none of ours. Throws DecodeError: the log claims to be an event that
 * we know and does not decode.
 */
export function decodeLog(log: ChainLog): DecodedEvent | undefined {
  const emitter = EMITTERS.get(log.at.address)
  if (emitter === undefined) return undefined
  const topic0 = log.topics[0]
  // Texts that differ do so in their first digits: a short walk is quicker than hashing the topic.
  for (const decoder of emitter.events)
    if (decoder.topic0 === topic0) return decoder.decode(log, emitter.contract)
  return { kind: 'unknown', at: log.at, topics: log.topics, data: log.data }
}

export type Decoded = {
  events: DecodedEvent[]
  /** Logs that claim to be an event and do not decode: for a person to look at, never to be lost. */
  broken: { log: ChainLog; error: DecodeError }[]
}

/** Decodes logs in their order and leaves out those of other contracts. One broken log stops no other. */
export function decodeLogs(logs: readonly ChainLog[]): Decoded {
  const decoded: Decoded = { events: [], broken: [] }
  for (const log of logs) {
    try {
      const event = decodeLog(log)
      if (event !== undefined) decoded.events.push(event)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      decoded.broken.push({ log, error })
    }
  }
  return decoded
}
