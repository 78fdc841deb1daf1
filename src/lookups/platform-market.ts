import { Type } from 'typebox'
import { notFound } from '../core/errors.js'
import { toTokenId } from '../core/ids.js'
import { parseConditionId } from '../core/structured-id.js'
import { toIsoSecond } from '../core/unix-time.js'
import { hexToBytes } from '../lib/hex.js'
import type { Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'
import { selectTokenIds } from './market-filter.js'

// Rows in the names of the platform's Data API, which clients of its lists read.

/** What the catalogue and the chain say of a token, for such rows. Bytes are hex text. */
export type PlatformMarket = {
  token: string
  condition: string | null
  title: string | null
  slug: string | null
  icon: string | null
  image: string | null
  eventSlug: string | null
  eventTitle: string | null
  outcomeIndex: number | null
  /** Both empty where the catalogue does not have the market. */
  outcomes: string[]
  tokens: string[]
  negRisk: boolean
  endSec: number | null
}

/** Adds its market to each row of a page, with one query for all of them. Index: primary keys. */
export async function withPlatformMarkets<Row extends { token: number }>(
  sql: Sql,
  rows: readonly Row[],
): Promise<(Row & { listed: PlatformMarket })[]> {
  const ids = [...new Set(rows.map(({ token }) => token))]
  const markets = await sql<(PlatformMarket & { id: number })[]>`
    select t.id, ${hex(sql, 't.token')} as token,
           ${hex(sql, 'coalesce(m.condition, c.condition)')} as condition,
           m.question as title, m.slug, coalesce(m.icon, m.image) as icon, m.image,
           e.slug as event_slug, e.title as event_title,
           coalesce(mt.outcome, t.outcome) as outcome_index, coalesce(m.outcomes, '{}') as outcomes,
           array(select ${hex(sql, 'each.token')}
                   from unnest(m.tokens) with ordinality each (token, place) order by each.place) as tokens,
           coalesce(m.neg_risk, false) as neg_risk,
           floor(extract(epoch from m.end_at))::float8 as end_sec
      from tokens t
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
      left join events e on e.id = m.event
      left join conditions c on c.id = t.condition
     where t.id = any(${ids}::integer[])`
  const byId = new Map(markets.map((market) => [market.id, market]))
  return rows.flatMap((row) => {
    const listed = byId.get(row.token)
    // A reorganisation may have taken the token back since the rows were read.
    return listed === undefined ? [] : [{ ...row, listed }]
  })
}

/** How the platform writes an outcome that it does not know. */
const UNKNOWN_OUTCOME = 999

const Text = (description: string) => Type.String({ description: `${description}; empty when it is unknown` })

/** The fields about the market of a row. */
export const PlatformMarketFields = {
  asset: Type.String({ description: 'the outcome token' }),
  conditionId: Text('the condition of the token'),
  title: Text('the question of the market'),
  slug: Text('the slug of the market'),
  icon: Text('the address of an image'),
  eventSlug: Text('the slug of the event'),
  outcome: Text('the name of the outcome'),
  outcomeIndex: Type.Integer({ minimum: 0, description: '999 when it is unknown' }),
}

export const presentPlatformMarket = (market: PlatformMarket) => ({
  asset: toTokenId(market.token),
  conditionId: market.condition ?? '',
  title: market.title ?? '',
  slug: market.slug ?? '',
  icon: market.icon ?? '',
  eventSlug: market.eventSlug ?? '',
  outcome: outcomeNameOf(market),
  outcomeIndex: market.outcomeIndex ?? UNKNOWN_OUTCOME,
})

/** Empty: the catalogue does not have the market. */
export const outcomeNameOf = ({ outcomes, outcomeIndex }: PlatformMarket): string =>
  outcomes[outcomeIndex ?? UNKNOWN_OUTCOME] ?? ''

/** What a position has besides. */
export const PlatformOutcomeFields = {
  outcomes: Type.Array(Type.String(), { description: 'of the market; empty when it is unknown' }),
  token_ids: Type.Array(Type.String(), { description: 'of the same outcomes' }),
  oppositeOutcome: Text('the other one of two outcomes'),
  oppositeAsset: Text('the token of the other outcome'),
  negativeRisk: Type.Boolean(),
  endDate: Text('when the market ends or ended, in ISO 8601'),
}

export function presentPlatformOutcomes({ outcomes, tokens, outcomeIndex, negRisk, endSec }: PlatformMarket) {
  const ids = tokens.map(toTokenId)
  const opposite = outcomes.length === 2 && outcomeIndex !== null ? 1 - outcomeIndex : UNKNOWN_OUTCOME
  return {
    outcomes,
    token_ids: ids,
    oppositeOutcome: outcomes[opposite] ?? '',
    oppositeAsset: ids[opposite] ?? '',
    negativeRisk: negRisk,
    endDate: endSec === null ? '' : toIsoSecond(endSec),
  }
}

/** How lists of such rows are paged. */
export const PlatformPage = {
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'rows in the answer' }),
  offset: Type.Integer({ minimum: 0, maximum: 10_000, default: 0, description: 'rows to pass over' }),
}

/** A market in a path, which a condition or a slug names. */
export const MarketIdPath = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 300,
    pattern: '^[^\\u0000]*$',
    description: 'a market: its condition or its slug',
    examples: ['btc-updown-5m-1794886500'],
  }),
})

/**
 * The tokens of the market with this condition or slug, none before its first fact. Throws a 404 where neither chain nor
 * catalogue has it. Indexes: those of `selectTokenIds`.
 */
export async function requireMarketTokens(sql: Sql, id: string): Promise<readonly number[]> {
  const condition = parseConditionId(id)
  const filter = condition === undefined ? { market_slug: id } : { condition_id: condition }
  const tokens = (await selectTokenIds(sql, filter)) ?? []
  if (tokens.length > 0) return tokens
  const isNamed = condition === undefined ? sql`slug = ${id}` : sql`condition = ${hexToBytes(condition)}`
  const listed = await sql`select from markets where ${isNamed} limit 1`
  if (listed.length === 0) throw notFound(`Market ${id} not found.`)
  return []
}
