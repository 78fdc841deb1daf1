import type { Fragment, Sql } from '../store/connection.js'

/** Combos are listed and summed up apart from all other positions. */
export type PositionKind = 'market' | 'combo'

/** Whether lists show the position `p`: the condition of the partial indexes, word by word. */
export const isListed = (sql: Sql, kind: PositionKind): Fragment =>
  kind === 'market'
    ? sql`p.is_combo = 0 and (p.bought > 0 or p.balance > 0)`
    : sql`p.is_combo = 1 and (p.bought > 0 or p.balance > 0)`

/**
 * What the shares of position `p` that bear cost would earn at the price of `price`, rounded toward
 * zero: the rule of `unrealizedOf` in position.ts, for sums over positions with a balance.
 */
export const unrealizedPnl = (sql: Sql): Fragment => sql`
  case price.numerator
       when 0 then -p.cost
       when price.denominator then p.held - p.cost
       else div(p.held * price.numerator - p.cost * price.denominator, price.denominator)::bigint
  end`
