/** What the catalogue says of one market, for whoever shows its facts. */
export type MarketInfo = {
  /** `0x` and 64 lower-case digits. */
  conditionId: string
  title: string
  slug: string
  image: string | undefined
  eventTitle: string | undefined
  eventSlug: string | undefined
  negRisk: boolean
  tickSize: number | undefined
  /** Basis points; `undefined`: no fee. */
  takerBaseFee: number | undefined
  outcomes: readonly string[]
  /** Decimal, in the order of `outcomes`. */
  tokenIds: readonly string[]
}

/** Answers from memory, in microseconds. `undefined`: not known (yet); asking makes it be looked up. */
export type MarketLookup = {
  /** By the 32 bytes of a token id, or of a condition, as hex text. */
  byToken(token: string): MarketInfo | undefined
  byCondition(condition: string): MarketInfo | undefined
}
