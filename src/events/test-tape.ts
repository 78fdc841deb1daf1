import type { MarketInfo, MarketLookup } from '../catalogue/market-info.js'
import { emptyTape } from '../chain/attribute/empty-tape.js'
import type { FillFact, Tape, TapeBlock } from '../chain/attribute/tape.js'
import { seqOf } from '../core/seq.js'

export const BLOCK: TapeBlock = {
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

/** What every event says about the market. */
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

export const makeTape = (facts: Partial<Tape> = {}): Tape => ({
  ...emptyTape(),
  blocks: [BLOCK],
  ...facts,
})

/** Where a fact stands, and in which transaction. */
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
