import { CLOSED_AVERAGE, isClosed } from '../../lookups/position-sql.js'
import { type Fragment, joinFragments, type Sql } from '../../store/connection.js'
import { boundedPage } from '../../store/keyset.js'
import { hex } from '../../store/sql-words.js'
import { selectOpposite } from '../queries.js'

export const CLOSED_SORTS = ['REALIZEDPNL', 'AVGPRICE', 'PRICE', 'TITLE', 'TIMESTAMP'] as const
export type ClosedSort = (typeof CLOSED_SORTS)[number]

export type ClosedScope = {
  wallet: number
  sort: ClosedSort
  isAscending: boolean
  /** `undefined`: in all tokens. */
  tokens: readonly number[] | undefined
  /** Part of the market's question, in any letter case. */
  title: string | undefined
  limit: number
  offset: number
}

/** A closed position with its market. Bytes are hex text; null where neither chain nor catalogue knows. */
export type ClosedRow = {
  token: string
  /** Whole millionths of a dollar for a share, both. */
  average: string
  price: string
  bought: bigint
  realized: bigint
  lastSec: number
  condition: string | null
  title: string | null
  slug: string | null
  icon: string | null
  eventSlug: string | null
  outcome: string | null
  outcomeIndex: number | null
  oppositeOutcome: string | null
  opposite: string | null
  endSec: number | null
}

/** What a share of a token is worth, in millionths; nothing where there is no price. */
const PRICE = 'div(price.numerator * 1000000::numeric, greatest(price.denominator, 1))'

const SORT_KEYS: Record<ClosedSort, string> = {
  TIMESTAMP: 'p.last_sec',
  REALIZEDPNL: 'p.realized',
  AVGPRICE: CLOSED_AVERAGE,
  PRICE: `(select ${PRICE} from token_prices price where price.token = p.token)`,
  TITLE: `coalesce((select m.question
                      from tokens t
                      join market_tokens mt on mt.token = t.token
                      join markets m on m.id = mt.market
                     where t.id = p.token), '') collate "C"`,
}

/**
 * A page of closed positions of a wallet; equal ones by their token. Indexes: positions_closed_last_sec,
 * _realized and _average, in order; by price and by title all that are closed are read and sorted.
 * Those in few tokens come by the primary key. The title of each position is read while they are filtered.
 */
export function selectClosedPositions(sql: Sql, scope: ClosedScope): Promise<ClosedRow[]> {
  const { sort, isAscending, limit, offset } = scope
  const direction = isAscending ? 'asc' : 'desc'
  const page = sql`
    select p.token, p.bought, p.realized, p.last_sec,
           ${sql.unsafe(CLOSED_AVERAGE)} as average, ${sql.unsafe(SORT_KEYS[sort])} as sort_key
      from ${closedOf(sql, scope)} p
     order by sort_key ${sql.unsafe(direction)}, p.token ${sql.unsafe(direction)}
    offset ${offset} limit ${limit}`
  return sql<ClosedRow[]>`
    select ${hex(sql, 't.token')} as token, p.average::text, ${sql.unsafe(PRICE)}::text as price,
           p.bought, p.realized, p.last_sec,
           ${hex(sql, 'coalesce(m.condition, c.condition)')} as condition,
           m.question as title, m.slug, coalesce(m.icon, m.image) as icon, e.slug as event_slug,
           m.outcomes[mt.outcome + 1] as outcome, coalesce(mt.outcome, t.outcome) as outcome_index,
           case when cardinality(m.outcomes) = 2 then m.outcomes[2 - mt.outcome] end as opposite_outcome,
           '0x' || encode(${selectOpposite(sql)}, 'hex') as opposite,
           floor(extract(epoch from m.end_at))::float8 as end_sec
      from (${boundedPage(sql, page)}) p
      join tokens t on t.id = p.token
      join token_prices price on price.token = t.id
      left join conditions c on c.id = t.condition
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
      left join events e on e.id = m.event
     order by p.sort_key ${sql.unsafe(direction)}, p.token ${sql.unsafe(direction)}`
}

/** The closed positions that the filters leave. */
function closedOf(sql: Sql, { wallet, tokens, title }: ClosedScope): Fragment {
  const conditions = [sql`p.wallet = ${wallet}`, isClosed(sql)]
  if (title !== undefined) conditions.push(hasTitle(sql, title))
  if (tokens === undefined) {
    return sql`(select p.* from positions p where ${joinFragments(sql, conditions, sql`and`)})`
  }
  conditions.push(sql`p.token = any(${[...tokens]}::integer[])`)
  // Behind `offset 0` the order of the page does not choose an index of all positions of the wallet.
  return sql`
    (select p.* from positions p where ${joinFragments(sql, conditions, sql`and`)} offset 0)`
}

/** Index: primary keys. */
const hasTitle = (sql: Sql, title: string): Fragment => sql`
  (select exists (
            select
              from market_tokens mt
              join markets m on m.id = mt.market
             where mt.token = t.token and strpos(lower(m.question), lower(${title}::text)) > 0)
     from tokens t where t.id = p.token)`
