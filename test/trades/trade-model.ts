import type { Universe } from '../../sim/universe/universe.js'
import { byPlace, idOf, isTakerOrder, type ModelFill } from './fill-model.js'

export type TradeQuery = {
  side?: 'maker' | 'taker' | 'both' | undefined
  fills?: 'all' | 'maker' | 'taker' | undefined
  token_id?: string | undefined
  condition_id?: string | undefined
  market_slug?: string | undefined
  event_slug?: string | undefined
  event_id?: number | undefined
  order_hash?: string | undefined
  min_amount_usd?: string | undefined
  min_amount?: string | undefined
  builder?: string | undefined
  isSell?: boolean | undefined
  after?: number | undefined
  before?: number | undefined
  order?: 'asc' | 'desc' | undefined
}

export type ModelTrade = { fill: ModelFill; role: 'maker' | 'taker' }

/** What a list of trades should have, worked out from all fills. Without a wallet: of all owners. */
export function expectTrades(
  { fills, universe }: { fills: readonly ModelFill[]; universe: Universe },
  wallet: string | undefined,
  query: TradeQuery,
): ModelTrade[] {
  const { side = 'both', order = 'desc' } = query
  const rows = fills.flatMap((fill): ModelTrade[] => {
    if (fill.isCombo || !fits(fill, query, universe)) return []
    if (wallet === undefined) return [{ fill, role: 'maker' }]
    if (fill.maker === wallet) return side === 'taker' ? [] : [{ fill, role: 'maker' }]
    const isTaker = fill.taker === wallet && side !== 'maker'
    return isTaker ? [{ fill, role: 'taker' }] : []
  })
  rows.sort((a, b) => byPlace(a.fill, b.fill))
  return order === 'asc' ? rows : rows.reverse()
}

function fits(fill: ModelFill, query: TradeQuery, { catalogue }: Universe): boolean {
  const token = catalogue.token(fill.token)
  const market = token?.of.kind === 'market' ? token.of : undefined
  // The test catalogue lacks every fourth event.
  const shown = market !== undefined && Number(market.event.id) % 4 !== 0 ? market : undefined
  const given = fill.isSell ? fill.shares : fill.usd
  const isUnset = (value: unknown) => value === undefined
  return (
    (isUnset(query.token_id) || fill.token === query.token_id) &&
    (isUnset(query.condition_id) || market?.conditionId === query.condition_id) &&
    (isUnset(query.market_slug) || shown?.slug === query.market_slug) &&
    (isUnset(query.event_slug) || shown?.event.slug === query.event_slug) &&
    (isUnset(query.event_id) || Number(shown?.event.id) === query.event_id) &&
    (isUnset(query.order_hash) || fill.orderHash === query.order_hash) &&
    (isUnset(query.min_amount_usd) || Number(fill.usd) >= Math.round(Number(query.min_amount_usd) * 1e6)) &&
    (isUnset(query.builder) || fill.builder === query.builder) &&
    ((query.fills ?? 'all') === 'all' || isTakerOrder(fill) === (query.fills === 'taker')) &&
    (isUnset(query.isSell) || fill.isSell === query.isSell) &&
    (isUnset(query.min_amount) || given >= BigInt(query.min_amount ?? 0)) &&
    fill.timeSec >= (query.after ?? 0) &&
    fill.timeSec <= (query.before ?? Number.POSITIVE_INFINITY)
  )
}

/** The rows by groups, each group where its first row is. */
export function regroup(
  rows: readonly ModelTrade[],
  order: 'asc' | 'desc',
  keyOf: (row: ModelTrade) => string,
): ModelTrade[][] {
  const newestFirst = order === 'desc' ? rows : [...rows].reverse()
  const groups = new Map<string, ModelTrade[]>()
  for (const row of newestFirst) {
    const key = keyOf(row)
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const list = [...groups.values()]
  return order === 'desc' ? list : list.reverse().map((group) => group.reverse())
}

/** What the row's wallet does: the owner of an order as it says, a counterparty as its own order says. */
export function directionOf({ fill, role }: ModelTrade, fills: readonly ModelFill[]): string {
  const own = fills.find(
    (other) => other.txHash === fill.txHash && other.maker === fill.taker && isTakerOrder(other),
  )
  const isSell = role === 'maker' ? fill.isSell : (own?.isSell ?? !fill.isSell)
  return isSell ? 'SELL' : 'BUY'
}

export const idsOf = (rows: readonly ModelTrade[]): string[] => rows.map(({ fill }) => idOf(fill))
