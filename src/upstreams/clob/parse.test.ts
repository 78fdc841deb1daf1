import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectOnlyParseErrors } from '../../../test/spoiled-objects.js'
import { ParseError } from '../transport/parse-json.js'
import {
  parseBook,
  parseByToken,
  parseClobAmount,
  parseHistories,
  parsePrices,
  parseRebates,
  parseRewardPage,
} from './parse.js'

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'))

describe('parseBook', () => {
  const json = fixture('book')

  test('puts the best level first and keeps every digit', () => {
    const book = parseBook(json, 'body')
    expect(book.bids.map(({ price }) => price)).toEqual(['0.51', '0.49', '0.09'])
    expect(book.asks[0]).toEqual({ price: '0.52', size: '10.000001' })
    expect(book).toMatchObject({
      conditionId: json.market,
      tokenId: json.asset_id,
      timestampMs: 1_791_000_012_345,
      lastTradePrice: '0.510',
      tickSize: '0.01',
      negRisk: false,
    })
  })

  test('reads the same book from any order of its levels', () => {
    const shuffled = fc.tuple(
      fc.shuffledSubarray<object>(json.bids, { minLength: json.bids.length }),
      fc.shuffledSubarray<object>(json.asks, { minLength: json.asks.length }),
    )
    fc.assert(
      fc.property(shuffled, ([bids, asks]) => {
        expect(parseBook({ ...json, bids, asks }, 'body')).toEqual(parseBook(json, 'body'))
      }),
    )
  })

  test('decimals that are "" are missing', () => {
    const book = parseBook({ ...json, last_trade_price: '', tick_size: '', bids: [] }, 'body')
    expect(book).toMatchObject({ bids: [], lastTradePrice: undefined, tickSize: undefined })
  })

  test.each([
    ['a side that is null', { bids: null }],
    ['a side that is missing', { asks: undefined }],
    ['a price that is a number', { asks: [{ price: 0.5, size: '1' }] }],
    ['a size that is a number', { bids: [{ price: '0.5', size: 1 }] }],
    ['a time that is a number', { timestamp: 1_791_000_012_345 }],
    ['a time that is none', { timestamp: '12.5' }],
  ])('refuses %s', (_what, changes) => {
    expect(() => parseBook({ ...json, ...changes }, 'body')).toThrow(ParseError)
  })

  test('quotes a level that is wrong', () => {
    const broken = {
      ...json,
      asks: [
        { price: '0.5', size: '1' },
        { price: 'x', size: '1' },
      ],
    }
    expect(() => parseBook(broken, 'body[2]')).toThrow('body[2].asks[1].price must be a decimal, got "x"')
  })
})

test('prices are texts, and one side may be missing', () => {
  const json = { '1': { BUY: '0.45', SELL: '0.46' }, '2': { BUY: '' }, '3': null }
  expect([...parseByToken(parsePrices)(json, 'body')]).toEqual([
    ['1', { buy: '0.45', sell: '0.46' }],
    ['2', { buy: undefined, sell: undefined }],
  ])
  expect(() => parsePrices({ BUY: 0.45 }, 'body')).toThrow('body.BUY must be a string, got 0.45')
  expect(() => parseByToken(parseClobAmount)({ '1': 0.45 }, 'body')).toThrow(ParseError)
})

test('histories are read oldest first, null as nothing', () => {
  const points = [
    { t: 1_791_000_060, p: 0.52 },
    { t: 1_791_000_000, p: 0.51 },
  ]
  const sorted = [
    { timeSec: 1_791_000_000, price: 0.51 },
    { timeSec: 1_791_000_060, price: 0.52 },
  ]
  expect([...parseHistories({ history: { '7': points, '8': null } }, 'body')]).toEqual([['7', sorted]])
})

describe('parseRewardPage', () => {
  const json = fixture('rewards')
  const [row] = json.data

  test('hands on the page as it came', () => {
    expect(parseRewardPage(json, 'body')).toEqual(json)
    expect(parseRewardPage({ data: [], next_cursor: null }, 'body')).toMatchObject({ data: [] })
  })

  test.each([
    ['no rows', { ...json, data: null }],
    ['a row without its condition', { ...json, data: [{ ...row, condition_id: 7 }] }],
    ['a row without terms', { ...json, data: [{ ...row, rewards_config: null }] }],
    ['terms without a rate', { ...json, data: [{ ...row, rewards_config: [{}] }] }],
    ['a token that is a number', { ...json, data: [{ ...row, tokens: [{ token_id: 7 }] }] }],
    ['a cursor that is a number', { ...json, next_cursor: 5 }],
  ])('refuses %s', (_what, page) => {
    expect(() => parseRewardPage(page, 'body')).toThrow(ParseError)
  })
})

test('rebates: null is an empty list, and no amount is negative', () => {
  const row = {
    date: '2026-11-12',
    condition_id: '0xab',
    asset_address: '0xc0',
    maker_address: '0xcd',
    rebated_fees_usdc: '0.000125',
  }
  expect(parseRebates(null, 'body')).toEqual([])
  expect(parseRebates([row], 'body')).toMatchObject([{ rebatedFeesUsdc: '0.000125' }])
  expect(() => parseRebates([{ ...row, rebated_fees_usdc: '-1' }], 'body')).toThrow(ParseError)
  expect(() => parseRebates({}, 'body')).toThrow(ParseError)
  expectOnlyParseErrors([parseRebates, (value, path) => parseRebates([value], path)], row)
})

test('whatever comes, nothing but a ParseError is thrown', () => {
  const parsers = [
    parseBook,
    parseByToken(parsePrices),
    parseByToken(parseClobAmount),
    parseHistories,
    parseRewardPage,
  ]
  const whole = { ...fixture('book'), ...fixture('rewards'), history: {} }
  expectOnlyParseErrors(parsers, whole)
})
