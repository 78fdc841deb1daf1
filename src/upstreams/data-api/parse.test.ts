import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brokenJson } from '../../../test/mutate-json.js'
import { ParseError } from '../transport/parse-json.js'
import { dataPageOf, parseBuilder, parsePosition, parseTrade } from './parse.js'

const HASH = `0x${'ab'.repeat(32)}`
const TRADE = {
  proxy_wallet: '0xab',
  token_id: '7123',
  condition_id: '0xcd',
  side: 'SELL',
  size: 12.5,
  price: '0.53',
  timestamp: 1_794_811_208,
  transaction_hash: HASH,
}
const POSITION = {
  proxy_wallet: '0xab',
  token_id: '7123',
  condition_id: '0xcd',
  status: 'REDEEMABLE',
  current_size: '12.5',
  total_size: 20,
  avg_price: -0.25,
  current_price: 1,
  realized_pnl: 0.000001,
  slug: 'rain',
  outcome: '',
  first_entry_at: 0,
  last_event_at: 17,
}
const page = (pagination: object) => ({ data: [TRADE], pagination })
const LAST = page({ has_more: false, next_cursor: null })
const parse = (value: unknown) => dataPageOf(parseTrade)(value, 'body')

const TOKEN = `0x${(7123).toString(16).padStart(64, '0')}`

test('a trade, with numbers as they were written', () => {
  expect(parseTrade(TRADE, 'body')).toEqual({
    token: TOKEN,
    isSell: true,
    size: '12.5',
    price: '0.53',
    timeSec: 1_794_811_208,
    txHash: HASH,
    slug: undefined,
    outcome: undefined,
  })
})

test('a position; no time is 0', () => {
  expect(parsePosition(POSITION, 'body')).toEqual({
    token: TOKEN,
    status: 'REDEEMABLE',
    size: '12.5',
    bought: '20',
    averagePrice: '-0.25',
    price: '1',
    realizedPnl: '0.000001',
    slug: 'rain',
    outcome: undefined,
    firstEntrySec: undefined,
    lastEventSec: 17,
  })
})

test.each([
  ['a side that is none', parseTrade, { ...TRADE, side: 'HOLD' }],
  ['a token that is none', parseTrade, { ...TRADE, token_id: '0x12' }],
  ['a token as a number', parseTrade, { ...TRADE, token_id: 7123 }],
  ['a hash that is cut', parseTrade, { ...TRADE, transaction_hash: '0xab' }],
  ['less than no shares', parseTrade, { ...TRADE, size: -1 }],
  ['half a second', parseTrade, { ...TRADE, timestamp: 0.5 }],
  ['a status of another list', parsePosition, { ...POSITION, status: 'MERGEABLE' }],
  ['no size', parsePosition, { ...POSITION, current_size: null }],
  ['no profit', parsePosition, { ...POSITION, realized_pnl: undefined }],
])('refused: %s', (_what, parseRow, row) => {
  expect(() => parseRow(row, 'body')).toThrow(ParseError)
})

const BUILDER = {
  rank: 2,
  builder_name: 'Ada',
  builder_code: '0xab',
  profile_image: null,
  verified: true,
  volume: 12.25,
  active_users: 3,
}

describe('a builder', () => {
  test('has a name, a code and its rank', () => {
    expect(parseBuilder(BUILDER, 'body')).toEqual({
      rank: 2,
      code: '0xab',
      name: 'Ada',
      logo: undefined,
      verified: true,
      volume: '12.25',
      activeUsers: 3,
    })
    expect(parseBuilder({ ...BUILDER, builder_code: '' }, 'body').code).toBeUndefined()
  })

  test.each([
    ['no rank', { rank: null }],
    ['a volume below zero', { volume: -1 }],
    ['half a user', { active_users: 0.5 }],
    ['a number as its name', { builder_name: 7 }],
  ])('refused: %s', (_what, change) => {
    expect(() => parseBuilder({ ...BUILDER, ...change }, 'body')).toThrow(ParseError)
  })
})

describe('a page', () => {
  test('has rows and says whether there are more', () => {
    const items = [parseTrade(TRADE, 'body')]
    expect(parse(LAST)).toEqual({ items, nextCursor: undefined })
    const more = parse(page({ has_more: true, next_cursor: 'abc' }))
    expect(more).toEqual({ items, nextCursor: 'abc' })
  })

  test.each([
    ['a bare array', [TRADE]],
    ['no pagination', { data: [TRADE] }],
    ['no cursor', page({ has_more: false })],
    ['a cursor on the last page', page({ has_more: false, next_cursor: 'abc' })],
    ['no cursor on another page', page({ has_more: true, next_cursor: null })],
    ['nothing about more', page({ next_cursor: null })],
    ['no rows', { ...LAST, data: null }],
  ])('refused: %s', (_what, value) => {
    expect(() => parse(value)).toThrow(ParseError)
  })

  test.each([
    ['trades', LAST, parseTrade],
    ['positions', { ...LAST, data: [POSITION] }, parsePosition],
    ['builders', { ...LAST, data: [BUILDER] }, parseBuilder],
  ])('whatever comes instead of %s, nothing but a ParseError is thrown', (_what, good, parseRow) => {
    const parsePage = dataPageOf<unknown>(parseRow)
    fc.assert(
      fc.property(brokenJson([good]), (text) => {
        if (text === '') return
        try {
          parsePage(JSON.parse(text), 'body')
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError)
        }
      }),
    )
  })
})
