import { type TokenMarket, withMarkets } from '../lookups/market-block.js'
import type { Sql } from '../store/connection.js'
import {
  type PositionRow,
  type PositionScope,
  selectClosings,
  selectTokenStates,
  type TokenState,
} from './queries.js'

/** A position with its market, its price and the result of its condition. */
export type ShownPosition = PositionRow & { market: TokenMarket; state: TokenState }

/** The same with the time of the last redemption; null: there was none. */
export type ClosedPosition = ShownPosition & { closedSec: number | null }

/** Adds their markets and prices to the positions of a page, with one query each. */
export async function withStates(
  sql: Sql,
  positions: readonly PositionRow[],
  { until }: Pick<PositionScope, 'until'>,
): Promise<ShownPosition[]> {
  const rows = await withMarkets(
    sql,
    positions.filter(({ isGone }) => !isGone),
  )
  const tokens = [...new Set(rows.map(({ token }) => token))]
  const states = await selectTokenStates(sql, tokens, until)
  const byToken = new Map(states.map((state) => [state.token, state]))
  return rows.flatMap((row) => {
    const state = byToken.get(row.token)
    return state === undefined ? [] : [{ ...row, state }]
  })
}

export async function withClosings(sql: Sql, rows: readonly ShownPosition[]): Promise<ClosedPosition[]> {
  const resolved = rows.filter(({ state }) => state.payouts !== null)
  const closings = resolved.length === 0 ? [] : await selectClosings(sql, resolved)
  const byKey = new Map(closings.map((closing) => [keyOf(closing), closing.closedSec]))
  return rows.map((row) => ({ ...row, closedSec: byKey.get(keyOf(row)) ?? null }))
}

const keyOf = ({ wallet, token }: { wallet: number; token: number }) => `${wallet}-${token}`
