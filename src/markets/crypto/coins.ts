import type { COINS } from '../../upstreams/upstreams.js'

type Coin = (typeof COINS)[number]

/** The long names of the coins, in the order in which answers list them. */
const NAMES: Readonly<Record<Coin, string>> = {
  btc: 'bitcoin',
  eth: 'ethereum',
  sol: 'solana',
  bnb: 'bnb',
  xrp: 'xrp',
  doge: 'dogecoin',
  hype: 'hyperliquid',
}

export const COIN_CODES: readonly string[] = Object.keys(NAMES)

/** Every word that stands for one of the coins. */
export const COIN_WORDS: readonly string[] = [...new Set(Object.entries(NAMES).flat())]
