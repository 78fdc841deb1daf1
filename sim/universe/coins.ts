import type { Coin } from './market.js'

export type CoinFacts = {
  coin: Coin
  /** Index in the list of coins. */
  index: number
  symbol: string
  /** As it stands in titles and long slugs. */
  name: string
  longSlug: string
  /** Around which the price wanders. */
  baseUsd: number
  /** Deviation of a day's move. */
  volatility: number
  /** Half of bid to ask, relative to the price. */
  halfSpread: number
  /** How much its windows are traded. */
  popularity: number
}

type Unnumbered = Omit<CoinFacts, 'index'>

const coin = (
  code: Coin,
  name: string,
  longSlug: string,
  baseUsd: number,
  volatility: number,
  halfSpread: number,
  popularity: number,
): Unnumbered => ({
  coin: code,
  symbol: code.toUpperCase(),
  name,
  longSlug,
  baseUsd,
  volatility,
  halfSpread,
  popularity,
})

const UNNUMBERED: readonly Unnumbered[] = [
  coin('btc', 'Bitcoin', 'bitcoin', 97_400, 0.024, 0.00004, 40),
  coin('eth', 'Ethereum', 'ethereum', 3_120, 0.033, 0.00006, 20),
  coin('sol', 'Solana', 'solana', 148, 0.042, 0.0001, 13),
  coin('xrp', 'XRP', 'xrp', 2.31, 0.04, 0.00012, 10),
  coin('doge', 'Dogecoin', 'dogecoin', 0.1625, 0.046, 0.00018, 7),
  coin('bnb', 'BNB', 'bnb', 921, 0.026, 0.0001, 5),
  coin('hype', 'Hyperliquid', 'hyperliquid', 38.6, 0.055, 0.0003, 5),
]

/** The coins with up-or-down windows, the most traded first. */
export const COINS: readonly CoinFacts[] = UNNUMBERED.map((facts, index) => ({ ...facts, index }))

const BY_CODE = Object.fromEntries(COINS.map((facts) => [facts.coin, facts])) as Record<Coin, CoinFacts>

export const coinFacts = (code: Coin): CoinFacts => BY_CODE[code]
