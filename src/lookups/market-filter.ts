import { badRequest } from '../core/errors.js'
import { parseTokenId } from '../core/ids.js'
import { hexToBytes } from '../lib/hex.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'

/** The filters of a list that name tokens, one way or another; all that have a value must hold. */
export type MarketFilter = {
  token_id?: string | undefined
  condition_id?: string | undefined
  market_slug?: string | undefined
  event_slug?: string | undefined
  event_id?: number | undefined
}

/** An event with more tokens than this is too broad to filter by. */
const TOKENS_MAX = 5_000

/**
 * The ids of the tokens that a filter leaves, in no order. `undefined`: the filter is empty, so every
 * token counts. Indexes: tokens_token_key, tokens_condition, markets_condition, markets_slug,
 * markets_event, events_slug.
 */
export async function selectTokenIds(sql: Sql, filter: MarketFilter): Promise<number[] | undefined> {
  const sets = tokenSets(sql, filter)
  if (sets.length === 0) return undefined
  const rows = await sql<{ id: number }[]>`
    ${joinFragments(sql, sets, sql`intersect`)} limit ${TOKENS_MAX + 1}`
  if (rows.length <= TOKENS_MAX) return rows.map(({ id }) => id)
  throw badRequest(
    `The event has more than ${TOKENS_MAX} tokens. Narrow the request with market_slug, condition_id or token_id.`,
  )
}

/** The tokens of each filter that has a value. */
function tokenSets(sql: Sql, filter: MarketFilter) {
  const { token_id: token, condition_id: condition, market_slug: slug } = filter
  const { event_slug: eventSlug, event_id: eventId } = filter
  const ofMarkets = (isWanted: Fragment) => sql`
    (select t.id from markets m join tokens t on t.token = any(m.tokens) where ${isWanted})`
  const sets: Fragment[] = []
  if (token !== undefined) {
    // A number that is too large for a token id has no bytes, and no token has none.
    const bytes = hexToBytes(parseTokenId(token) ?? '0x')
    sets.push(sql`(select id from tokens where token = ${bytes})`)
  }
  if (condition !== undefined) {
    const bytes = hexToBytes(condition)
    // The catalogue may know a token's condition before the chain has named it.
    sets.push(sql`
      (select t.id from conditions c join tokens t on t.condition = c.id
        where c.condition = ${bytes}
        union ${ofMarkets(sql`m.condition = ${bytes}`)})`)
  }
  if (slug !== undefined) sets.push(ofMarkets(sql`m.slug = ${slug}`))
  if (eventId !== undefined) sets.push(ofMarkets(sql`m.event = ${eventId}`))
  if (eventSlug !== undefined) {
    sets.push(ofMarkets(sql`m.event in (select id from events where slug = ${eventSlug})`))
  }
  return sets
}
