import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOON_SEC } from '../archive/test-archive.js'
import { openTickApp, type TickApp } from './test-tick-app.js'

const NOON_MS = NOON_SEC * 1000
const DAY_MS = 86_400_000

let t: TickApp
beforeAll(async () => {
  t = await openTickApp()
})
afterAll(() => t.close())

/** A valid query with some parameters replaced; null leaves one out. */
const query = (changes: Record<string, string | number | null>): string =>
  Object.entries({ symbol: 'BTC', from: NOON_MS, to: NOON_MS + 60_000, ...changes })
    .flatMap(([name, value]) => (value === null ? [] : `${name}=${value}`))
    .join('&')

const expectRefused = async (text: string, error: string, more: Record<string, string> = {}) => {
  const reply = await t.get(text)
  expect(reply.json()).toEqual({ error: expect.stringContaining(error), ...more })
  expect(reply.statusCode).toBe(400)
}

describe('GET /v1/crypto/ticks', () => {
  test.each(['symbol', 'from', 'to'])('400: %s is missing', async (name) => {
    await expectRefused(query({ [name]: null }), `Missing required query parameter '${name}'`)
  })

  test.each(['symbol', 'from', 'to', 'limit', 'source', 'price_source'])(
    '400: %s is given twice',
    async (name) => {
      await expectRefused(`${query({ [name]: 1 })}&${name}=2`, `'${name}' was given 2 times`)
    },
  )

  test.each(['', 'ZEC', 'Btc', 'bTC', 'BTC/USD', 'BTCUSD', '%20BTC', 'B%C5%A3C', '__proto__'])(
    '400: the symbol is "%s"',
    async (symbol) => {
      const allowed = 'Invalid symbol. Allowed: BTC, ETH, SOL, BNB, XRP, DOGE, HYPE'
      await expectRefused(query({ symbol }), allowed)
    },
  )

  test.each(['from', 'to'])('400: %s is no integer', async (name) => {
    for (const value of ['', 'abc', '1.5', '1e12', '0x10', 'NaN', 'Infinity', '9999999999999999'])
      await expectRefused(query({ [name]: value }), `Invalid ${name}: `)
  })

  test.each([
    ['from', NOON_SEC],
    ['to', NOON_SEC + 60],
  ])('400: %s is in seconds, and a hint shows what was meant', async (name, sec) => {
    await expectRefused(query({ [name]: sec }), `Invalid ${name}: give Unix milliseconds`, {
      hint: `${name}=${sec}000`,
    })
  })

  test.each([0, -1, -NOON_MS, 99_999])('400: %i is no time in seconds either', async (from) => {
    await expectRefused(query({ from }), 'Invalid from: give Unix milliseconds')
  })

  test.each([
    ['is empty', NOON_MS],
    ['runs backwards', NOON_MS - 1],
  ])('400: the range %s', async (_how, to) => {
    await expectRefused(query({ to }), '`from` must be before `to`')
  })

  test.each([NOON_MS + DAY_MS + 1, 2_147_483_647_999])(
    '400: the range is over 24 hours, up to %i',
    async (to) => {
      await expectRefused(query({ to }), 'at most 24 hours', { hint: `to=${NOON_MS + DAY_MS}` })
    },
  )

  test.each(['0', '-1', '100001', '1.5', 'abc', '', '999999999999999'])(
    '400: the limit is "%s"',
    async (limit) => {
      const text = 'Invalid limit: the query parameter must be an integer from 1 to 100000.'
      await expectRefused(query({ limit }), text)
    },
  )

  test.each([
    ['source', 'platform_oracle, oracle_data_streams'],
    ['price_source', 'spot, twap30, twap60, binance'],
  ])('400: an unknown %s', async (name, allowed) => {
    for (const value of ['', 'chainlink', 'SPOT', 'null'])
      await expectRefused(query({ [name]: value }), `Invalid ${name}. Allowed: ${allowed}`)
  })
})
