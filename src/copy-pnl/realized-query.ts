import type { SeqRange } from '../blocks/seq-range.js'
import type { Sql } from '../store/connection.js'
import { isRealizedBy, selectWalletId } from '../wallets/queries.js'

/** Of the positions that realized something in a window. Money is millionths. */
export type RealizedPositions = {
  realized: bigint
  /** How many of them have no shares now. */
  closed: number
  /** Their average entry prices, weighted by what each realized either way; null: too little was. */
  entryPrice: number | null
}

const NOTHING: RealizedPositions = { realized: 0n, closed: 0, entryPrice: null }

/** Below a dollar the weights say nothing. */
const WEIGHT_MIN = 1_000_000

/** Without combos. Indexes: wallet of each partition of `pnl`, positions_pkey. */
export async function selectRealizedPositions(
  sql: Sql,
  address: string,
  range: SeqRange,
): Promise<RealizedPositions> {
  const wallet = await selectWalletId(sql, address)
  if (wallet === undefined) return NOTHING
  const [row] = await sql<(Omit<RealizedPositions, 'realized'> & { realized: string })[]>`
    with steps as materialized (
      select token, sum(amount) as realized
        from pnl
       where ${isRealizedBy(sql, wallet, range)}
       group by token
    ), weighted as (
      select s.realized, p.balance,
             case when p.bought > 0 then abs(s.realized) end as weight,
             case when p.bought > 0 then abs(s.realized) * p.bought_cost / p.bought end as product
        from steps s
        join positions p on p.wallet = ${wallet} and p.token = s.token
    )
    select coalesce(sum(realized), 0)::text as realized,
           (count(*) filter (where balance <= 0))::integer as closed,
           case when sum(weight) >= ${WEIGHT_MIN}::integer
                then round(sum(product) / sum(weight), 4)::float8 end as entry_price
      from weighted`
  return row === undefined ? NOTHING : { ...row, realized: BigInt(row.realized) }
}
