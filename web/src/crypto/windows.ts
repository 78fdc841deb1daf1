import type { Answer } from 'auspex-client'

export const COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE'] as const
export type Coin = (typeof COINS)[number]

/** How the series of a coin begin. */
const SERIES: Record<Coin, string[]> = {
  BTC: ['btc'],
  ETH: ['eth'],
  SOL: ['sol', 'solana'],
  XRP: ['xrp'],
  DOGE: ['doge', 'dogecoin'],
  BNB: ['bnb'],
  HYPE: ['hype'],
}

/** `interval`: what the price of the window is asked by; the API has none for a day. */
export const LENGTHS = {
  '5m': { title: '5 minutes', seconds: 300, recurrence: '5m', interval: '5m' },
  '15m': { title: '15 minutes', seconds: 900, recurrence: '15m', interval: '15m' },
  '1h': { title: '1 hour', seconds: 3_600, recurrence: 'hourly', interval: '1h' },
  '1d': { title: '1 day', seconds: 86_400, recurrence: 'daily', interval: undefined },
} as const
export type Length = keyof typeof LENGTHS

export type CryptoEvent = Answer<'/v1/crypto/markets'>['events'][number]

/** The window of a coin that runs now. */
export function findRunning(
  events: readonly CryptoEvent[],
  coin: Coin,
  length: Length,
): CryptoEvent | undefined {
  const { seconds, recurrence } = LENGTHS[length]
  const names = SERIES[coin].map((name) => `${name}-up-or-down-${recurrence}`)
  return events.find(({ seriesSlug, endDate }) => {
    const endMs = Date.parse(endDate ?? '')
    return names.includes(seriesSlug ?? '') && endMs > Date.now() && endMs - seconds * 1_000 <= Date.now()
  })
}

/** Unix seconds at which a window begins. */
export const startOf = ({ endDate }: CryptoEvent, length: Length): number =>
  Date.parse(endDate ?? '') / 1_000 - LENGTHS[length].seconds

/** The probability of up. */
export const oddsOf = (event: CryptoEvent | undefined): number | undefined => {
  const price = event?.markets[0]?.outcomePrices?.[0]
  return price === undefined || price === null ? undefined : Number(price)
}
