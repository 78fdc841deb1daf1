import { expect } from 'vitest'
import type { EventDraft, EventType } from '../bus/event.js'
import type { Tape } from '../chain/attribute/tape.js'
import { blockEvents } from './block-events.js'
import { Known } from './known.js'
import { BLOCK, KNOWN_MARKETS, makeTape, word } from './test-tape.js'

export const TIME_MS = BLOCK.timeSec * 1000
export const USDC_E = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
export const WRAPPED_COLLATERAL = '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2'
export const PUSD = '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb'

/** What an event says about its place. */
export const logAt = (logIndex: number) => ({
  tx_hash: word('f1'),
  block_number: BLOCK.number,
  log_index: logIndex,
  timestamp: TIME_MS,
})

/** What a block with these facts tells, matches aside. */
export function tell(facts: Partial<Tape>, markets = KNOWN_MARKETS): EventDraft[] {
  const tape = makeTape(facts)
  const known = new Known(markets)
  known.learn(tape)
  return blockEvents(tape, BLOCK, known, () => [])
}

/** The one event of a kind, and its data as readers see it. */
export function tellOne(type: EventType, facts: Partial<Tape>, markets = KNOWN_MARKETS) {
  const events = tell(facts, markets).filter((event) => event.type === type)
  expect(events).toHaveLength(1)
  const [event] = events
  return { event, data: JSON.parse(JSON.stringify(event?.data)) }
}
