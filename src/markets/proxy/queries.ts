import type { Sql } from '../../store/connection.js'
import { hex } from '../../store/sql-words.js'

/** An event as client libraries of the platform read it. Times are Unix seconds. */
export type ProxyEvent = {
  id: number
  slug: string
  title: string
  active: boolean
  closed: boolean
  startSec: number | null
  endSec: number | null
  markets: ProxyMarket[]
}

/** Bytes are hex text; amounts are numbers, as the platform writes them. */
export type ProxyMarket = {
  id: number
  slug: string | null
  question: string | null
  condition: string | null
  outcomes: string[]
  prices: (number | null)[]
  tokens: string[]
  volume: number
  dayVolume: number
  liquidity: number
  /** Basis points. */
  takerBaseFee: number
  hasFees: boolean
  active: boolean
  closed: boolean
  acceptingOrders: boolean
}

/** `undefined`: the catalogue does not have it. Index: events_slug. */
export async function selectProxyEvent(
  sql: Sql,
  slug: string,
): Promise<Omit<ProxyEvent, 'markets'> | undefined> {
  const [row] = await sql<Omit<ProxyEvent, 'markets'>[]>`
    select id, slug, coalesce(title, '') as title, active, closed,
           floor(extract(epoch from start_at))::float8 as start_sec,
           floor(extract(epoch from end_at))::float8 as end_sec
      from events where slug = ${slug} and gone_at is null
     order by id limit 1`
  return row
}

/** The markets of an event by id. Index: markets_event. */
export const selectProxyMarkets = (sql: Sql, event: number, limit: number) => sql<ProxyMarket[]>`
  select id, slug, question, ${hex(sql, 'condition')} as condition, outcomes,
         coalesce(outcome_prices, '{}')::float8[] as prices,
         array(select ${hex(sql, 'token')} from unnest(tokens) token) as tokens,
         coalesce(volume, 0)::float8 as volume, coalesce(volume_24h, 0)::float8 as day_volume,
         coalesce(liquidity, 0)::float8 as liquidity, coalesce(taker_base_fee, 0) as taker_base_fee,
         coalesce(fee_rate, 0) > 0 or coalesce(taker_base_fee, 0) > 0 as has_fees,
         active, closed, accepting_orders
    from markets where event = ${event}
   order by id limit ${limit}`
