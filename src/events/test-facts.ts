import { expect } from 'vitest'
import type { EventDraft } from '../bus/event.js'
import type { MarketInfo, MarketLookup } from '../catalogue/market-info.js'
import type { BatchBlock } from '../chain/facts/block.js'
import type { FillFact } from '../chain/facts/fill.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import { createBatchFacts } from '../chain/facts/registry.js'
import { seqOf } from '../core/seq.js'
import { Enricher } from './enrichment.js'
import { blockEvents, type EventType } from './registry.js'

export const BLOCK: BatchBlock = {
  number: 90_000_000,
  hash: word('b1'),
  parentHash: word('b0'),
  timeSec: Date.UTC(2026, 10, 15, 12) / 1000,
}

export const EXCHANGE = '0xe111180000d2663c0091e4f400237545b87b996b'
export const ALICE = address('a1')
export const BOB = address('b2')
export const YES = word('7e5')
export const NO = word('90')
export const CONDITION = word('c0')

export const MARKET: MarketInfo = {
  conditionId: CONDITION,
  title: 'Will it rain?',
  slug: 'will-it-rain',
  image: 'https://pictures.example/rain.png',
  eventTitle: 'Weather',
  eventSlug: 'weather',
  negRisk: false,
  tickSize: 0.01,
  takerBaseFee: undefined,
  outcomes: ['Yes', 'No'],
  tokenIds: [decimal(YES), decimal(NO)],
}

/** The fields of an event about the market. */
export const MARKET_FIELDS = {
  market_title: 'Will it rain?',
  market_slug: 'will-it-rain',
  event_title: 'Weather',
  event_slug: 'weather',
  market_image: 'https://pictures.example/rain.png',
  neg_risk: false,
  tick_size: 0.01,
  taker_base_fee: null,
  condition_id: CONDITION,
  outcomes: ['Yes', 'No'],
  token_ids: [decimal(YES), decimal(NO)],
  tokens: { [decimal(YES)]: 'Yes', [decimal(NO)]: 'No' },
}

export const KNOWN_MARKETS: MarketLookup = {
  byToken: (token) => ([YES, NO].includes(token) ? MARKET : undefined),
  byCondition: (condition) => (condition === CONDITION ? MARKET : undefined),
}

export const NO_MARKETS: MarketLookup = {
  byToken: () => undefined,
  byCondition: () => undefined,
}

export const makeBatch = (facts: Partial<BatchFacts> = {}): BatchFacts => ({
  ...createBatchFacts(),
  blocks: [BLOCK],
  ...facts,
})

/** The block, log index and transaction of a fact. */
export const at = (logIndex: number, tx = 'f1', block = BLOCK) => ({
  seq: seqOf(block.number, logIndex),
  timeSec: block.timeSec,
  txHash: word(tx),
})

/** Alice buys YES from what Bob offers. */
export function makeFill(logIndex: number, changes: Partial<FillFact> = {}): FillFact {
  return {
    ...at(logIndex),
    orderHash: word(`0d${logIndex}`),
    wallet: BOB,
    taker: ALICE,
    exchange: EXCHANGE,
    generation: 2,
    negRisk: false,
    isTaker: false,
    side: 'SELL',
    token: YES,
    usd: 16_000_000n,
    shares: 25_000_000n,
    fee: 0n,
    isFeeInShares: false,
    builder: undefined,
    metadata: undefined,
    ...changes,
  }
}

/** Bob's order and then Alice's, which took it. */
export const makeMatch = (logIndex = 3, tx = 'f1', block = BLOCK): [FillFact, FillFact] => [
  makeFill(logIndex, at(logIndex, tx, block)),
  makeFill(logIndex + 1, {
    ...at(logIndex + 1, tx, block),
    wallet: ALICE,
    taker: EXCHANGE,
    isTaker: true,
    side: 'BUY',
    fee: 40_000n,
  }),
]

export function word(digits: string): string {
  return `0x${digits.padStart(64, '0')}`
}

export function address(digits: string): string {
  return `0x${digits.padStart(40, '0')}`
}

export function decimal(hex: string): string {
  return BigInt(hex).toString()
}

export const TIME_MS = BLOCK.timeSec * 1000
export const USDC_E = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
export const WRAPPED_COLLATERAL = '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2'
export const PUSD = '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb'

/** The fields of an event about its log. */
export const logAt = (logIndex: number) => ({
  tx_hash: word('f1'),
  block_number: BLOCK.number,
  log_index: logIndex,
  timestamp: TIME_MS,
})

/** The events of a block with these facts, without confirmations of matches. */
export function makeEvents(facts: Partial<BatchFacts>, markets = KNOWN_MARKETS): EventDraft[] {
  const batch = makeBatch(facts)
  const enricher = new Enricher(markets)
  enricher.learn(batch)
  return blockEvents(batch, BLOCK, enricher, () => undefined)
}

/** The only event of a type, and its data as clients receive it. */
export function makeEvent(type: EventType, facts: Partial<BatchFacts>, markets = KNOWN_MARKETS) {
  const events = makeEvents(facts, markets).filter((event) => event.type === type)
  expect(events).toHaveLength(1)
  const [event] = events
  return { event, data: JSON.parse(JSON.stringify(event?.data)) }
}

/** Of an event log that stores nothing. */
export const NO_STORE = {
  get sql(): never {
    throw new Error('this test has no database')
  },
}
