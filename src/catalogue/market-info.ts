import { toTokenId } from '../core/ids.js'

/** One market as events and answers show it. */
export type MarketInfo = Readonly<ReturnType<typeof toMarketInfo>>

/**
 * Finds markets in memory, in microseconds. `undefined`: it is not in memory, or does not exist; the
 * key is queued to be looked up in the database and at Gamma, so a later call may find it.
 */
export type MarketLookup = {
  /** `token` is the 32 bytes of the id as hex text. */
  byToken(token: string): MarketInfo | undefined
  byCondition(condition: string): MarketInfo | undefined
}

/** A market as the catalogue has it in memory, and the tokens by which it is found. */
export type KnownMarket = { info: MarketInfo; tokens: readonly string[]; isOpen: boolean }

/** Columns of a market and of its event; bytes are hex digits without `0x`. */
export type MarketInfoRow = {
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

export function toKnownMarket(row: MarketInfoRow): KnownMarket {
  const tokens = row.tokens.map((digits) => `0x${digits}`)
  return { tokens, isOpen: !row.closed, info: toMarketInfo(row, tokens) }
}

const toMarketInfo = (row: MarketInfoRow, tokens: readonly string[]) => ({
  /** `0x` and 64 lower-case digits. */
  conditionId: `0x${row.condition}`,
  title: row.question ?? '',
  slug: row.slug ?? '',
  image: row.image ?? undefined,
  eventTitle: row.eventTitle ?? undefined,
  eventSlug: row.eventSlug ?? undefined,
  negRisk: row.negRisk,
  tickSize: row.tickSize ?? undefined,
  /** Basis points; `undefined`: no fee, for which Gamma writes 0. */
  takerBaseFee: row.takerBaseFee || undefined,
  outcomes: row.outcomes,
  /** Decimal, in the order of `outcomes`. */
  tokenIds: tokens.map(toTokenId) as readonly string[],
})
