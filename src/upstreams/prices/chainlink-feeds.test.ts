import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ParseError } from '../transport/parse-json.js'
import { chooseFeeds, parseFeeds, scaleToE18 } from './chainlink-feeds.js'

const BODY = JSON.parse(readFileSync(new URL('./fixtures/chainlink-feeds.json', import.meta.url), 'utf8'))
const BTC = '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8'

test('dollar prices are found by what is known of the id, or by name and version', () => {
  expect(parseFeeds(BODY, 'body')).toEqual([
    { id: BTC, coin: 'btc', kind: 'spot', decimals: 18 },
    { id: `0x0003${'1'.repeat(60)}`, coin: 'btc', kind: 'spot', decimals: 8 },
    { id: `0x0003${'2'.repeat(60)}`, coin: 'xrp', kind: 'spot', decimals: 8 },
    { id: `0x0002${'3'.repeat(60)}`, coin: 'xrp', kind: 'twap60', decimals: 18 },
  ])
})

test('one feed for each coin and kind: the known, then the first', () => {
  const listed = parseFeeds(BODY, 'body').reverse()
  const ids = (feeds: ReturnType<typeof chooseFeeds>) => [...feeds.keys()]
  const twap = `0x0002${'3'.repeat(60)}`
  expect(ids(chooseFeeds(listed, ['btc', 'xrp']))).toEqual([BTC, twap, `0x0003${'2'.repeat(60)}`])
  expect(ids(chooseFeeds(listed, ['btc']))).toEqual([BTC])
  expect(ids(chooseFeeds(listed, ['doge']))).toEqual([])
})

test.each([
  ['no list', {}],
  ['no id', { feeds: [{ name: 'BTC/USD' }] }],
  ['impossible decimals', { feeds: [{ feedID: BTC, decimals: 1e6 }] }],
])('refused: %s', (_name, body) => {
  expect(() => parseFeeds(body, 'body')).toThrow(ParseError)
})

test('amounts are scaled by the decimals of their feed', () => {
  expect(scaleToE18(2_512n, 2)).toBe(25_120_000_000_000_000_000n)
  expect(scaleToE18(5n, 18)).toBe(5n)
  expect(scaleToE18(50n, 19)).toBe(5n)
})
