import { createHash } from 'node:crypto'
import { COINS, coinFacts } from '../universe/coins.js'
import type { Coin } from '../universe/market.js'

export type Feed = {
  /** Its first two bytes are the version of the report: 3 has bid and ask, 2 has the price alone. */
  feedID: string
  name: string
  decimals: number
  asset: string
  quoteAsset: string
  coin: Coin
  /** Absent: the price of the second itself. */
  twapSeconds?: number
}

const SPOT_IDS: { readonly [Name in Coin]?: string } = {
  btc: '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8',
  eth: '0x000362205e10b3a147d02792eccee483dca6c7b44ecce7012cb8c6e0b68b3ae9',
  sol: '0x0003b778d3f6b2ac4991302b89cb313f99a42467d6c9c5f96f57c29c0d2bc24f',
  bnb: '0x000335fd3f3ffa06cfd9297b97367f77145d7a5f132e84c736cc471dd98621fe',
}

const BTC_TWAP_IDS = {
  30: '0x0002e6b03af5a87b65f4c5c0c8eaf6027e4156f467cd16bdcf8a5b4347f9c087',
  60: '0x0002ee6757e8822c00d273bc340fc24c9cafe123a4ff2ea1dbdb31944bc7d95f',
}

const UNITS = { decimals: 18, quoteAsset: 'USD' }

export const CHAINLINK_FEEDS: readonly Feed[] = [
  ...COINS.map(({ coin }) => spotFeed(coin)),
  twapFeed('btc', 30),
  twapFeed('btc', 60),
]

function spotFeed(coin: Coin): Feed {
  const asset = coinFacts(coin).symbol
  const name = `${asset}/USD`
  return { feedID: SPOT_IDS[coin] ?? inventId(name), name, ...UNITS, asset, coin }
}

function twapFeed(coin: Coin, twapSeconds: 30 | 60): Feed {
  const asset = coinFacts(coin).symbol
  const name = `${asset}/USD-TWAP-${twapSeconds}s`
  return { feedID: BTC_TWAP_IDS[twapSeconds], name, ...UNITS, asset, coin, twapSeconds }
}

/** The ids of the other coins are not public. */
function inventId(name: string): string {
  return `0x0003${createHash('sha256').update(name).digest('hex').slice(4)}`
}
