import { Type } from 'typebox'
import { parseStructuredId } from '../core/structured-id.js'
import { namedEnum } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import type { Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'

/** What the catalogue and the chain say of a token. Bytes are hex text. */
export type TokenMarket = {
  token: string
  condition: string | null
  question: string | null
  slug: string | null
  outcome: string | null
  outcomeIndex: number | null
  image: string | null
  eventId: number | null
  eventSlug: string | null
}

/** Adds its market to each row of a page, with one query for all of them. Index: primary keys. */
export async function withMarkets<Row extends { token: number }>(
  sql: Sql,
  rows: readonly Row[],
): Promise<(Row & { market: TokenMarket })[]> {
  const ids = [...new Set(rows.map(({ token }) => token))]
  const markets = await sql<(TokenMarket & { id: number })[]>`
    select t.id, ${hex(sql, 't.token')} as token,
           ${hex(sql, 'coalesce(m.condition, c.condition)')} as condition,
           m.question, m.slug, m.image, e.id as event_id, e.slug as event_slug,
           coalesce(mt.outcome, t.outcome) as outcome_index, m.outcomes[mt.outcome + 1] as outcome
      from tokens t
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
      left join events e on e.id = m.event
      left join conditions c on c.id = t.condition
     where t.id = any(${ids}::integer[])`
  const byId = new Map(markets.map((market) => [market.id, market]))
  return rows.flatMap((row) => {
    const market = byId.get(row.token)
    // A reorganisation may have taken the token back since the rows were read.
    return market === undefined ? [] : [{ ...row, market }]
  })
}

/** The fields about the market of a row; null where the catalogue does not have it. */
export const MarketBlock = {
  market: nullable(Type.String({ description: 'the question' })),
  slug: nullable(Type.String()),
  outcome: nullable(Type.String()),
  outcome_index: nullable(Type.Integer({ minimum: 0 })),
  image: nullable(Type.String()),
  condition_id: nullable(Type.String()),
}

export const EventOfMarket = {
  event_slug: nullable(Type.String()),
  event_id: nullable(Type.Integer()),
}

/** Only rows of markets with structured token ids have these. */
/** Where the price of a token is from, the best first. */
export const PriceSourceField = namedEnum('TokenPriceSource', [
  'settlement',
  'clob_mid',
  'v1_condition',
  'last_fill',
])

export const StructuredMarket = {
  protocol_version: Type.Optional(Type.Literal('v2')),
  module: Type.Optional(namedEnum('MarketModule', ['binary', 'neg_risk'])),
  structural_condition_id: Type.Optional(Type.String()),
  neg_risk_event_id: Type.Optional(Type.String()),
}

export const presentMarketBlock = (market: TokenMarket) => ({
  market: market.question,
  slug: market.slug,
  outcome: market.outcome,
  outcome_index: market.outcomeIndex,
  image: market.image,
  condition_id: market.condition,
})

export const presentEventOfMarket = ({ eventSlug, eventId }: TokenMarket) => ({
  event_slug: eventSlug,
  event_id: eventId,
})

const MODULES = new Map([
  [1, 'binary'],
  [2, 'neg_risk'],
])

export function presentStructuredMarket({ token }: Pick<TokenMarket, 'token'>) {
  const id = parseStructuredId(token)
  const module = id === undefined ? undefined : MODULES.get(id.moduleId)
  if (id === undefined || module === undefined) return {}
  return {
    protocol_version: 'v2',
    module,
    structural_condition_id: `${id.conditionId}00`,
    ...(module === 'neg_risk' && { neg_risk_event_id: id.eventId }),
  }
}
