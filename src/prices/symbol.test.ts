import { describe, expect, test } from 'vitest'
import { ApiError } from '../core/errors.js'
import { feedOf, parseFeedName, parseSymbol, SYMBOLS } from './streams.js'

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
      expect(parseSymbol(text)).toBe(symbol)
      expect(parseFeedName(text)).toBe(symbol)
    }
  })

  test.each(['', 'ZEC', 'Btc', 'bTC', 'BTC/USD', ' BTC', 'BTC ', 'BTCUSD', 'constructor'])(
    '%j is refused, with the list of those that are not',
    (text) => {
      const error = refusal(() => parseSymbol(text))
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
    expect(parseFeedName(feedOf(symbol))).toBe(symbol)
    expect(parseFeedName(feedOf(symbol).toLowerCase())).toBe(symbol)
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
    expect(refusal(() => parseFeedName(text))).toMatchObject({ status: 400 }),
  )
})
