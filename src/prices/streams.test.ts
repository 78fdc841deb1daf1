import { expect, test } from 'vitest'
import {
  feedOf,
  PRICE_KINDS,
  STREAMS,
  SYMBOLS,
  sourceOf,
  streamId,
  streamIds,
  TICK_SOURCES,
  toSymbol,
} from './streams.js'

test('every coin, kind and source has an id of its own that a smallint holds', () => {
  expect(STREAMS.size).toBe(SYMBOLS.length * PRICE_KINDS.length * TICK_SOURCES.length)
  for (const [id, stream] of STREAMS) {
    expect(streamId(stream)).toBe(id)
    expect(id).toBeGreaterThanOrEqual(0)
    expect(id).toBeLessThan(2 ** 15)
  }
})

// The archive is written with these ids: a change would make another price of what is stored.
test.each([
  [0, 'BTC', 'spot', 'platform_oracle'],
  [1, 'BTC', 'spot', 'oracle_data_streams'],
  [4, 'BTC', 'twap30', 'platform_oracle'],
  [8, 'BTC', 'twap60', 'platform_oracle'],
  [12, 'BTC', 'binance', 'platform_oracle'],
  [32, 'ETH', 'spot', 'platform_oracle'],
  [64, 'SOL', 'spot', 'platform_oracle'],
  [96, 'BNB', 'spot', 'platform_oracle'],
  [128, 'XRP', 'spot', 'platform_oracle'],
  [160, 'DOGE', 'spot', 'platform_oracle'],
  [201, 'HYPE', 'twap60', 'oracle_data_streams'],
] as const)('stream %i is %s %s of %s', (id, symbol, kind, source) => {
  expect(streamId({ symbol, kind, source })).toBe(id)
})

test('ids of a coin and kind are in the order of the sources, or of one source', () => {
  expect(streamIds('ETH', 'spot')).toEqual([32, 33])
  expect(streamIds('ETH', 'spot', 'oracle_data_streams')).toEqual([33])
})

test('both sockets of the platform are one source, Chainlink is the other', () => {
  expect(sourceOf('rtds')).toBe('platform_oracle')
  expect(sourceOf('live_v2')).toBe('platform_oracle')
  expect(sourceOf('chainlink')).toBe('oracle_data_streams')
})

test('symbols are known in capitals and in small letters, and nothing else is', () => {
  for (const symbol of SYMBOLS) {
    expect(toSymbol(symbol.toLowerCase())).toBe(symbol)
    expect(feedOf(symbol)).toBe(`${symbol}/USD`)
  }
  for (const text of ['', 'ZEC', 'dOgE', '\u017fol', 'BTC/USD', ' BTC', 'toString'])
    expect(toSymbol(text)).toBeUndefined()
})
