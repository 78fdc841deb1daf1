import { describe, expect, test } from 'vitest'
import { ApiError } from '../core/errors.js'
import { feedOf, SYMBOLS } from './streams.js'
import { readFeed, readSymbol } from './symbol.js'

const refusal = (read: () => unknown): unknown => {
  try {
    return read()
  } catch (error) {
    return error
  }
}

describe('a symbol', () => {
  test.each(SYMBOLS)('%s is read in capitals and in small letters', (symbol) => {
    for (const text of [symbol, symbol.toLowerCase()]) {
      expect(readSymbol(text)).toBe(symbol)
      expect(readFeed(text)).toBe(symbol)
    }
  })

  test.each(['', 'ZEC', 'Btc', 'bTC', 'BTC/USD', ' BTC', 'BTC ', 'BTCUSD', 'constructor'])(
    '%j is refused, with the list of those that are not',
    (text) => {
      const error = refusal(() => readSymbol(text))
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({
        status: 400,
        message: expect.stringMatching(
          /^Invalid symbol. Allowed: BTC, ETH, SOL, BNB, XRP, DOGE, HYPE/,
        ),
      })
    },
  )
})

describe('a feed', () => {
  test.each(SYMBOLS)('of %s is read in capitals and in small letters', (symbol) => {
    expect(readFeed(feedOf(symbol))).toBe(symbol)
    expect(readFeed(feedOf(symbol).toLowerCase())).toBe(symbol)
  })

  test.each([
    '/USD',
    'BTC/usd',
    'Btc/Usd',
    'Btc',
    'BTC/',
    'BTC/EUR',
    'USD/BTC',
    'BTC/USD/USD',
    'BTC-USD',
  ])('%j is refused', (text) =>
    expect(refusal(() => readFeed(text))).toMatchObject({ status: 400 }),
  )
})
