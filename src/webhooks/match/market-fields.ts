import type { OccurrenceKeys } from './occurrence.js'
import { outcomeOfToken, type SliceMarket } from './slice-markets.js'

/** What filters compare of the market in which something happened. */
export const marketKeys = (
  market: SliceMarket,
): Pick<OccurrenceKeys, 'conditionIds' | 'eventSlug' | 'tags'> => ({
  conditionIds: market.conditionId === null ? [] : [market.conditionId],
  eventSlug: market.eventSlug ?? undefined,
  tags: market.tagNames,
})

/** The fields of payloads about a token. */
export const tokenFields = (market: SliceMarket, token: string) => ({
  market: market.question,
  slug: market.slug,
  outcome: outcomeOfToken(market, token),
  condition_id: market.conditionId,
})

const PLAIN = /^[^\s"\\{},]+$/

/** A list as payloads have it: the text of a PostgreSQL array, `{a,b}`. */
export const toBraces = (items: readonly (string | bigint)[]): string =>
  `{${items.map((item) => quote(String(item))).join()}}`

const quote = (item: string): string =>
  PLAIN.test(item) && item.toUpperCase() !== 'NULL' ? item : `"${item.replace(/["\\]/g, '\\$&')}"`

/** `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
export const toTimeText = (timeMs: number): string =>
  `${new Date(timeMs).toISOString().slice(0, -1).replace('T', ' ')}000`
