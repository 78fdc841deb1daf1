import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectOnlyParseErrors } from '../../../test/spoiled-objects.js'
import {
  parseActivity,
  parseClosedPosition,
  parseLeaderboardEntry,
  parsePageV2,
  parsePosition,
  parsePositionV2,
  parseTokenHolders,
  parseTrade,
  parseTradeV2,
  parseValue,
} from './parse.js'

const rows = JSON.parse(readFileSync(new URL('fixtures/rows.json', import.meta.url), 'utf8'))
const WALLET = '0x56687bf447db6ffa42ffe2204a05edaa20f55839'

test('positions, open and closed', () => {
  expect(parseClosedPosition(rows.closedPosition, 'body')).toMatchObject({
    proxyWallet: WALLET,
    asset: '5511',
    realizedPnl: -310.25,
    timestampSec: 1_791_000_400,
    endDateMs: Date.UTC(2026, 9, 3),
  })
  expect(parsePosition(rows.position, 'body')).toMatchObject({
    size: 100,
    cashPnl: 6.5,
    icon: undefined,
    eventId: '991001',
    grossInitialValue: undefined,
    endDateMs: Date.UTC(2026, 9, 3, 4, 5),
  })
})

test('an activity that is no trade has no side, no token and no outcome', () => {
  expect(parseActivity(rows.activity, 'body')).toMatchObject({
    type: 'REDEEM',
    usdcSize: 100,
    side: undefined,
    asset: undefined,
    outcome: undefined,
    outcomeIndex: undefined,
  })
})

test('a trade reads the same from v1 and from v2', () => {
  const trade = parseTrade(rows.trade, 'body')
  expect(trade).toMatchObject({ side: 'SELL', asset: '9022', size: 12.5, outcomeIndex: 1 })
  expect(parseTradeV2(rows.tradeV2, 'body')).toEqual(trade)
})

test('a position of v2', () => {
  expect(parsePositionV2(rows.positionV2, 'body')).toMatchObject({
    tokenId: '5511',
    currentSize: 100,
    status: 'OPEN',
    lastEventAtMs: 1_791_000_100_000,
    endDateMs: Date.UTC(2026, 9, 3, 4, 5),
  })
})

test('holders, ranks and values', () => {
  expect(parseTokenHolders(rows.holders, 'body')).toMatchObject({
    token: '5511',
    holders: [{ proxyWallet: WALLET, amount: 100.000001, verified: undefined }],
  })
  expect(parseLeaderboardEntry(rows.leaderboard, 'body')).toMatchObject({ rank: 17, pnl: -4200.75 })
  expect(parseValue([{ user: WALLET, value: 51.5 }], 'body')).toBe(51.5)
  expect(parseValue([], 'body')).toBe(0)
})

test('a page of v2 is the last when it has no further cursor', () => {
  const parse = parsePageV2(parseTradeV2)
  const page = (pagination: object) => ({ data: [rows.tradeV2], pagination })
  expect(parse(page({ has_more: true, next_cursor: 'abc' }), 'body').nextCursor).toBe('abc')
  expect(parse(page({ has_more: false, next_cursor: 'abc' }), 'body').nextCursor).toBeUndefined()
  expect(parse(page({ has_more: false, next_cursor: null }), 'body').nextCursor).toBeUndefined()
  expect(parse({ data: null }, 'body')).toEqual({ items: [], nextCursor: undefined })
  expect(() => parse({ data: [{ ...rows.tradeV2, side: 'HOLD' }] }, 'body')).toThrow(
    'body.data[0].side must be BUY or SELL, got "HOLD"',
  )
})

test('whatever comes, nothing but a ParseError is thrown', () => {
  const parsers = [
    parseClosedPosition,
    parsePosition,
    parseTrade,
    parseActivity,
    parseTokenHolders,
    parseLeaderboardEntry,
    parseValue,
    parsePageV2(parsePositionV2),
    parsePageV2(parseTradeV2),
  ]
  const whole = Object.assign({}, ...Object.values(rows))
  expectOnlyParseErrors(parsers, whole)
})
