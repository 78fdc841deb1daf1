import { AMOUNT_MAX } from '../core/money.js'
import type { Fragment, Sql } from '../store/connection.js'

/** Combos are listed and summed up apart from all other positions. */
export type PositionKind = 'market' | 'combo'

/** Whether lists show the position `p`: the condition of the partial indexes, word by word. */
export const isListed = (sql: Sql, kind: PositionKind): Fragment =>
  kind === 'market'
    ? sql`p.is_combo = 0 and (p.bought > 0 or p.balance > 0)`
    : sql`p.is_combo = 1 and (p.bought > 0 or p.balance > 0)`

/** A balance below this counts as nothing, in millionths: what orders of whole hundredths leave over. */
export const CLOSED_SHARES_MAX = 10_000

/** Whether the position `p` is closed: the condition of the partial indexes, word by word. */
export const isClosed = (sql: Sql): Fragment =>
  sql.unsafe(`p.is_combo = 0 and p.bought > 0 and p.balance < ${CLOSED_SHARES_MAX}`) as unknown as Fragment

/** What a share of the closed position `p` cost, in millionths rounded toward zero: the expression of an index. */
export const CLOSED_AVERAGE = 'div(p.bought_cost * 1000000::numeric, p.bought)'

/**
 * What the shares of position `p` that bear cost would earn at the price of `price`, rounded toward
 * zero: the rule of `unrealizedOf` in position.ts, for sums over positions with a balance. A fill may
 * have an absurd price: beyond the largest amount that is booked the result is that amount, so that it
 * and its sums fit an int8.
 */
export const unrealizedPnl = (sql: Sql): Fragment => sql`
  case price.numerator
       when 0 then -p.cost
       when price.denominator then p.held - p.cost
       else least(div(p.held * price.numerator - p.cost * price.denominator, price.denominator),
                  ${AMOUNT_MAX}::bigint)::bigint
  end`
