import type { MarketInfo } from './market-info.js'
import { toTokenId } from './token-word.js'

/** What is kept of a market in memory, and under which keys. */
export type KnownMarket = { info: MarketInfo; tokens: readonly string[]; isOpen: boolean }

/** Columns of a market and of its event; bytes are hex digits. */
export type InfoRow = {
  condition: string
  question: string | null
  slug: string | null
  image: string | null
  eventTitle: string | null
  eventSlug: string | null
  closed: boolean
  negRisk: boolean
  tickSize: number | null
  takerBaseFee: number | null
  outcomes: readonly string[]
  tokens: readonly string[]
}

export function toKnownMarket(row: InfoRow): KnownMarket {
  const tokens = row.tokens.map((digits) => `0x${digits}`)
  return {
    tokens,
    isOpen: !row.closed,
    info: {
      conditionId: `0x${row.condition}`,
      title: row.question ?? '',
      slug: row.slug ?? '',
      image: row.image ?? undefined,
      eventTitle: row.eventTitle ?? undefined,
      eventSlug: row.eventSlug ?? undefined,
      negRisk: row.negRisk,
      tickSize: row.tickSize ?? undefined,
      // Gamma writes 0 where nobody pays.
      takerBaseFee: row.takerBaseFee || undefined,
      outcomes: row.outcomes,
      tokenIds: tokens.map(toTokenId),
    },
  }
}
