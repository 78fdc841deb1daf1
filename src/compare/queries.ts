import type { PositionState } from '../lookups/position.js'
import { isListed } from '../lookups/position-sql.js'
import type { Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'

/** A position of a wallet with what is known of its token. */
export type LedgerPosition = PositionState & {
  id: number
  /** Hex text. */
  token: string
  firstSec: number
  lastSec: number
  /** Null: there is no result. */
  numerator: string | null
  denominator: string | null
  resolvedSec: number | null
  slug: string | null
  outcome: string | null
}

/** Sources of prices that are results. */
const RESULTS = ['settlement', 'v1_condition']

/** Positions of a wallet that were bought or are held, without combos, by the id of the token. Index: positions_pkey. */
export function selectLedgerPositions(
  sql: Sql,
  wallet: number,
  page: { after: number; limit: number },
): Promise<LedgerPosition[]> {
  return sql<LedgerPosition[]>`
    select p.token as id, ${hex(sql, 't.token')} as token, p.first_sec, p.last_sec,
           p.balance, p.held, p.cost, p.realized, p.bought, p.bought_cost,
           result.numerator::text, result.denominator::text, b.time as resolved_sec,
           m.slug, m.outcomes[mt.outcome + 1] as outcome
      from (select p.*
              from positions p
             where p.wallet = ${wallet} and p.token > ${page.after} and ${isListed(sql, 'market')}
             order by p.token
             limit ${page.limit}) p
      join tokens t on t.id = p.token
      left join token_prices result
        on result.token = t.id and result.source = any(${RESULTS}::text[])
      left join blocks b on b.number = result.seq >> 20
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
     order by p.token`
}

/** How many positions and fills a wallet has, as far as it is known without counting. */
export async function selectWalletSize(sql: Sql, wallet: number): Promise<number> {
  const [row] = await sql<{ size: number }[]>`
    select positions + fills as size from wallet_totals where wallet = ${wallet}`
  return row?.size ?? 0
}
