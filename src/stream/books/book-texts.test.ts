import { describe, expect, test } from 'vitest'
import { type MarketInfoRow, toKnownMarket } from '../../catalogue/market-info.js'
import { toTokenId } from '../../core/ids.js'
import { BookTexts, type LevelChange } from './book-texts.js'

const word = 'ab'.repeat(32)
const conditionId = `0x${'cd'.repeat(32)}`
const tokenId = toTokenId(`0x${word}`)
const ROW: MarketInfoRow = {
  condition: 'cd'.repeat(32),
  question: 'Is "it" so?',
  slug: 'is-it-so',
  image: null,
  eventTitle: 'Line\none',
  eventSlug: 'line-one',
  closed: false,
  negRisk: false,
  tickSize: null,
  takerBaseFee: null,
  outcomes: ['Yes ✓', 'No'],
  tokens: [word],
}
const open = (row: MarketInfoRow | undefined) => {
  const info = row === undefined ? undefined : toKnownMarket(row).info
  return new BookTexts({ byToken: () => info, byCondition: () => info })
}

const MARKET = { market: conditionId, event_title: 'Line\none', question: 'Is "it" so?', slug: 'line-one' }
const of = { tokenId, conditionId }
const bids = [{ price: '0.5', size: '10' }]
const checksum = 'ef'.repeat(32)
const level = (fields: Partial<LevelChange>): LevelChange => ({
  kind: 'level',
  ...of,
  side: 'BUY',
  price: '0.5',
  size: '10',
  timestampMs: 1,
  bestBid: '0.5',
  bestAsk: undefined,
  ...fields,
})
const trade = {
  kind: 'trade' as const,
  ...of,
  price: '0.5',
  size: '2.5',
  side: 'SELL' as const,
  feeRateBps: 200,
  timestampMs: 1_794_000_000_123,
}

describe('texts', () => {
  const texts = open(ROW)

  test('of a book', () => {
    const book = { type: 'book_snapshot', asset_id: tokenId, ...MARKET, condition_id: conditionId }
    const whole = { ...book, outcome: 'Yes ✓', bids, asks: [] }
    expect(JSON.parse(texts.snapshot({ ...of, bids, asks: [] }))).toEqual(whole)
    const anchored = texts.snapshot({ ...of, bids, asks: [] }, { seq: 812, checksum })
    const integrity = { protocol: 'pn1', anchor: true, seq: 812, checksum }
    expect(JSON.parse(anchored)).toEqual({ ...whole, integrity })
  })

  test('of changes, with and without proof', () => {
    const row = { asset_id: tokenId, outcome: 'Yes ✓', price: '0.5', size: '10', side: 'BUY' }
    const changed = { type: 'price_change', ...MARKET }
    expect(JSON.parse(texts.levels(of, [level({}), level({ size: '0', bestAsk: '0.6' })]))).toEqual({
      ...changed,
      assets: [
        { ...row, best_bid: '0.5' },
        { ...row, size: '0', best_bid: '0.5', best_ask: '0.6' },
      ],
    })
    const integrity = { protocol: 'pn1', prev_seq: 812, seq: 813, checksum }
    const proven = texts.provenLevel(of, level({}), { seq: 813, checksum })
    const one = { asset_id: tokenId, assets: [{ ...row, best_bid: '0.5' }], integrity }
    expect(JSON.parse(proven)).toEqual({ ...changed, ...one })
    const update = texts.provenLevels(of, { bids, asks: [] }, { seq: 813, checksum })
    const several = { asset_id: tokenId, outcome: 'Yes ✓', bids, asks: [], integrity }
    expect(JSON.parse(update)).toEqual({ type: 'book_update', ...MARKET, ...several })
  })

  test('of a trade: all strings; none of a trade without side or size', () => {
    expect(JSON.parse(texts.trade(trade) ?? '')).toEqual({
      type: 'last_trade_price',
      asset_id: tokenId,
      ...MARKET,
      outcome: 'Yes ✓',
      price: '0.5',
      size: '2.5',
      side: 'SELL',
      fee_rate_bps: '200',
      timestamp: '1794000000123',
    })
    expect(texts.trade({ ...trade, size: undefined })).toBeUndefined()
    expect(texts.trade({ ...trade, side: undefined })).toBeUndefined()
  })

  test('without the market when the catalogue does not have it', () => {
    const bare = open(undefined)
    const book = { type: 'book_snapshot', asset_id: tokenId, bids, asks: [] }
    expect(JSON.parse(bare.snapshot({ ...of, bids, asks: [] }))).toEqual({
      ...book,
      market: conditionId,
      condition_id: conditionId,
    })
    const unknown = bare.snapshot({ tokenId, conditionId: undefined, bids, asks: [] })
    expect(JSON.parse(unknown)).toEqual({ ...book, market: '', condition_id: '' })
  })
})

test('texts follow the catalogue', () => {
  let { info } = toKnownMarket(ROW)
  const texts = new BookTexts({ byToken: () => info, byCondition: () => info })
  const question = () => JSON.parse(texts.trade(trade) ?? '').question
  expect(question()).toBe('Is "it" so?')
  info = toKnownMarket({ ...ROW, question: 'Was it so?' }).info
  expect(question()).toBe('Was it so?')
})
