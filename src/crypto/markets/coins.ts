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

/** Codes and long names: any of them in a title or slug stands for the coin. */
export const COIN_WORDS: readonly string[] = [...new Set(Object.entries(NAMES).flat())]

/** Length of an up-or-down window. */
export const WINDOW_SEC = 300

/** Start of the window that runs at that moment, in Unix seconds. */
export const windowStartAt = (ms: number): number => Math.floor(ms / (WINDOW_SEC * 1000)) * WINDOW_SEC

/** Slugs of the events of one window, one for each coin. */
export const windowSlugs = (startSec: number): string[] =>
  COIN_CODES.map((coin) => `${coin}-updown-5m-${startSec}`)
