import { COINS } from '../universe/coins.js'
import type { Coin } from '../universe/market.js'
import type { Prices } from '../universe/prices.js'
import { unit } from '../universe/random.js'
import type { Universe } from '../universe/universe.js'
import { toE18, toUsd } from './amounts.js'
import type { RtdsMessage } from './rtds-client.js'

const SNAPSHOT_POINTS = 60
/** Sets the chance of lost updates apart from all other chance of the universe. */
const LOSS_SALT = 4_100

type PriceTopic = {
  topic: string
  symbolOf(coin: Coin): string
  payload(prices: Prices, coin: Coin, sec: number): object
}

const oracleSymbol = (coin: Coin) => `${coin}/usd`
const symbolFilter = (symbol: string) => JSON.stringify({ symbol })

const exact = (priceE8: number) => ({
  value: toUsd(priceE8),
  full_accuracy_value: String(toE18(priceE8)),
})

const twapTopic = (topic: string, seconds: number): PriceTopic => ({
  topic,
  symbolOf: oracleSymbol,
  payload: (prices, coin, sec) => ({
    ...exact(prices.twapE8(coin, sec, seconds)),
    window_s: seconds,
  }),
})

const CHAINLINK: PriceTopic = {
  topic: 'crypto_prices_chainlink',
  symbolOf: oracleSymbol,
  payload: (prices, coin, sec) => exact(prices.spot(coin, sec).priceE8),
}

const PRICE_TOPICS: readonly PriceTopic[] = [
  {
    topic: 'crypto_prices',
    symbolOf: (coin) => `${coin}usdt`,
    payload: (prices, coin, sec) => ({ value: toUsd(prices.binanceE8(coin, sec)) }),
  },
  CHAINLINK,
  twapTopic('crypto_prices_twap_thirty', 30),
  twapTopic('crypto_prices_twap_sixty', 60),
]

/** The updates that go out at that moment: those of the second before, some of which get lost. */
export function* priceMessages(universe: Universe, atMs: number, dropShare: number): Generator<RtdsMessage> {
  const sec = Math.floor(atMs / 1000) - 1
  for (const [index, { topic, symbolOf, payload }] of PRICE_TOPICS.entries()) {
    for (const [coinIndex, { coin }] of COINS.entries()) {
      if (unit(universe.seed, sec, index * 16 + coinIndex, LOSS_SALT) < dropShare) continue
      const symbol = symbolOf(coin)
      yield {
        topic,
        type: 'update',
        timestamp: atMs,
        payload: { symbol, timestamp: sec * 1000, ...payload(universe.prices, coin, sec) },
        filters: [symbol, symbolFilter(symbol)],
      }
    }
  }
}

/** A subscription to one symbol of the oracle's prices is answered with its last minute. */
export function chainlinkSnapshot(
  universe: Universe,
  topic: string,
  filters: string,
): RtdsMessage | undefined {
  if (topic !== CHAINLINK.topic) return undefined
  const facts = COINS.find(({ coin }) => symbolFilter(oracleSymbol(coin)) === filters)
  if (facts === undefined) return undefined
  const lastSec = Math.floor(universe.nowMs / 1000) - 1
  const data = Array.from({ length: SNAPSHOT_POINTS }, (_, index) => {
    const sec = lastSec - SNAPSHOT_POINTS + 1 + index
    return { timestamp: sec * 1000, value: toUsd(universe.prices.spot(facts.coin, sec).priceE8) }
  })
  const payload = { symbol: oracleSymbol(facts.coin), data }
  return { topic, type: 'subscribe', timestamp: universe.nowMs, payload, filters: [] }
}
