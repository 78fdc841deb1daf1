import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brokenJson } from '../../../test/mutate-json.js'
import { ParseError } from '../transport/parse-json.js'
import { parseClobFrame } from './socket-parse.js'

const readFixture = (name: string) =>
  readFileSync(new URL(`./fixtures/socket-${name}.json`, import.meta.url), 'utf8')

const NAMES = [
  'book',
  'price-change',
  'tick-size-change',
  'last-trade-price',
  'best-bid-ask',
  'new-market',
  'market-resolved',
]
const CONDITION = '0xab5d1e3fd4d3a2f9c70f1de0d3f5b0a6bd21e5a9d7c04c1fcb28f3e1fd1f2a31'

describe('events', () => {
  test('book: the best level first, an empty decimal is nothing', () => {
    expect(parseClobFrame(readFixture('book'))).toEqual([
      {
        type: 'book',
        conditionId: CONDITION,
        tokenId: '55118273645091827364509182736450918273645091827364509182736450918273645091827',
        timestampMs: 1_791_000_012_345,
        hash: '0f3c9a51b1e04ad8a9f5c2a5a7a4b8b1de6f9c11',
        bids: [
          { price: '0.51', size: '40' },
          { price: '0.49', size: '120' },
        ],
        asks: [
          { price: '0.52', size: '10.5' },
          { price: '0.55', size: '75' },
        ],
        tickSize: '0.01',
      },
    ])
  })

  test('price_change: both tokens, a size of zero, an empty side', () => {
    expect(parseClobFrame(readFixture('price-change'))).toEqual([
      {
        type: 'price_change',
        conditionId: CONDITION,
        timestampMs: 1_791_000_013_001,
        changes: [
          {
            tokenId: '5511',
            side: 'BUY',
            price: '0.51',
            size: '65',
            hash: '77aa',
            bestBid: '0.51',
            bestAsk: '0.52',
          },
          {
            tokenId: '9022',
            side: 'SELL',
            price: '0.49',
            size: '0',
            hash: '19be',
            bestBid: '0.48',
          },
        ],
      },
    ])
  })

  test('tick_size_change', () => {
    expect(parseClobFrame(readFixture('tick-size-change'))).toEqual([
      {
        type: 'tick_size_change',
        tokenId: '5511',
        newTickSize: '0.001',
      },
    ])
  })

  test('last_trade_price', () => {
    expect(parseClobFrame(readFixture('last-trade-price'))).toEqual([
      {
        type: 'last_trade_price',
        conditionId: '0xab5d',
        tokenId: '5511',
        price: '0.456',
        size: '219.217767',
        side: 'BUY',
        feeRateBps: 0,
        timestampMs: 1_791_000_015_090,
      },
    ])
  })

  test('best_bid_ask', () => {
    expect(parseClobFrame(readFixture('best-bid-ask'))).toEqual([
      {
        type: 'best_bid_ask',
        tokenId: '5511',
        bestBid: '0.73',
      },
    ])
  })

  test('new_market', () => {
    expect(parseClobFrame(readFixture('new-market'))).toEqual([
      { type: 'new_market', tokenIds: ['5511', '9022'] },
    ])
  })

  test('market_resolved', () => {
    expect(parseClobFrame(readFixture('market-resolved'))).toEqual([{ type: 'market_resolved' }])
  })
})

describe('frames', () => {
  test.each(['PONG', 'NO NEW ASSETS', 'INVALID OPERATION', ''])('%j has no event', (text) => {
    expect(parseClobFrame(text)).toBeUndefined()
  })

  test('an array mixes events; unknown types are passed over', () => {
    const frame = `[${readFixture('best-bid-ask')}, {"event_type":"weather"}, ${readFixture('book').slice(1)}`
    expect(parseClobFrame(frame)?.map(({ type }) => type)).toEqual(['best_bid_ask', 'book'])
    expect(parseClobFrame('{"event_type":"weather"}')).toBeUndefined()
  })

  test('a price may be written without a zero', () => {
    const frame = readFixture('best-bid-ask').replace('0.73', '.73')
    expect(parseClobFrame(frame)).toMatchObject([{ bestBid: '0.73' }])
  })

  test('a side may be written in any letter case, and hash and best prices may be missing', () => {
    const change = { asset_id: '5511', price: '0.5', size: '1', side: 'Buy' }
    const head = { event_type: 'price_change', market: '0xab5d', timestamp: '1791000013001' }
    const frame = JSON.stringify({ ...head, price_changes: [change] })
    expect(parseClobFrame(frame)).toMatchObject([{ changes: [{ side: 'BUY', price: '0.5' }] }])
    const trade = readFixture('last-trade-price').replace('"BUY"', '"sell"')
    expect(parseClobFrame(trade)).toMatchObject([{ side: 'SELL' }])
  })

  test('no books at all is an answer too', () => {
    expect(parseClobFrame('[]')).toEqual([])
  })

  test.each([
    ['half a frame', readFixture('book').slice(0, 200)],
    ['no event type', '{"market":"0xab"}'],
    ['a price that is none', readFixture('best-bid-ask').replace('0.73', 'cheap')],
    ['a negative price', readFixture('best-bid-ask').replace('0.73', '-0.73')],
    ['a side that is none', readFixture('price-change').replace('BUY', 'HOLD')],
    ['a time that is none', readFixture('price-change').replace(/"1791\d+"/, '"noon"')],
    ['a time that is a number', readFixture('book').replace(/"(1791\d+)"/, '$1')],
    ['a book with one side', readFixture('book').replace('"asks"', '"offers"')],
    ['a new market whose tokens are no list', readFixture('new-market').replace('["5511"', '{"5511"')],
    ['one bad event among good ones', `[${readFixture('best-bid-ask')}, 5]`],
  ])('refused: %s', (_name, text) => {
    expect(() => parseClobFrame(text)).toThrow(ParseError)
  })

  test('whatever comes, nothing but a ParseError is thrown', () => {
    const good = NAMES.map((name) => JSON.parse(readFixture(name)))
    fc.assert(
      fc.property(brokenJson(good), (text) => {
        try {
          parseClobFrame(text)
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
