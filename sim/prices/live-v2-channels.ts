import { COINS } from '../universe/coins.js'
import type { Coin } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { toDecimal, toUsd } from './amounts.js'

export const TWAP_SECONDS = 60
const SNAPSHOT_SECONDS = 120

export type Provider = 'pyth' | 'massive' | 'chainlink'

export type LiveChannel = {
  name: string
  /** Those that measure its prices. The first one is served unless the client asks for another. */
  providers: readonly [Provider, ...Provider[]]
  isTwap: boolean
  /** By symbol. Channels of shares have none: they are open to every symbol, and nothing flows. */
  coins: ReadonlyMap<string, Coin>
}

const symbolsOf = (coins: readonly Coin[]): ReadonlyMap<string, Coin> =>
  new Map(coins.map((coin) => [`${coin}usd`, coin]))

const COIN_CODES = COINS.map(({ coin }) => coin)

export const LIVE_CHANNELS: readonly LiveChannel[] = [
  {
    name: 'price.crypto',
    providers: ['pyth', 'chainlink'],
    isTwap: false,
    coins: symbolsOf(COIN_CODES.filter((coin) => coin !== 'hype')),
  },
  {
    name: 'price.crypto.twap',
    providers: ['chainlink'],
    isTwap: true,
    coins: symbolsOf(COIN_CODES),
  },
  { name: 'price.equity', providers: ['massive'], isTwap: false, coins: new Map() },
  { name: 'price.equity.twap', providers: ['massive'], isTwap: true, coins: new Map() },
]

/** The price of a second, without its source. */
export function livePayload(
  universe: Universe,
  channel: LiveChannel,
  symbol: string,
  coin: Coin,
  atMs: number,
): object {
  const { timestamp, ...price } = pricePoint(universe, channel, coin, Math.floor(atMs / 1000))
  return { symbol, ...price, timestamp, ...windowOf(channel) }
}

const windowOf = ({ isTwap }: LiveChannel) => (isTwap ? { window_seconds: TWAP_SECONDS } : {})

/** The last two minutes. */
export function snapshotPayload(universe: Universe, channel: LiveChannel, symbol: string): object {
  const coin = channel.coins.get(symbol)
  const firstSec = Math.floor(universe.nowMs / 1000) - SNAPSHOT_SECONDS + 1
  const data =
    coin === undefined
      ? []
      : Array.from({ length: SNAPSHOT_SECONDS }, (_, index) =>
          pricePoint(universe, channel, coin, firstSec + index),
        )
  return { symbol, data, ...windowOf(channel) }
}

function pricePoint(universe: Universe, channel: LiveChannel, coin: Coin, sec: number) {
  const { prices } = universe
  const priceE8 = channel.isTwap ? prices.twapE8(coin, sec, TWAP_SECONDS) : prices.spot(coin, sec).priceE8
  return {
    timestamp: sec * 1000,
    value: toUsd(priceE8),
    full_accuracy_value: toDecimal(priceE8),
  }
}
