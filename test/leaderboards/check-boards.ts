import { expect } from 'vitest'
import type { Pool } from '../../src/store/connection.js'
import { type BoardModel, type ModelRow, nameOfScope, readBoardModel } from './board-model.js'

const RANKED_MAX = 1_000
const SCOPES_LIMIT = 200

/** Asks the API; the answer must be a 200. */
export type Ask = (path: string, query: Record<string, unknown>) => Promise<Record<string, unknown>>

/**
 * `isThorough`: by each sort, and both by cursor and by offset. Otherwise by one of each, which takes turns from board
 * to board and from `turn` to turn.
 */
export type Effort = { turn: number; isThorough: boolean }
type Walk = 'by cursor' | 'by offset'
const WALKS: readonly Walk[] = ['by cursor', 'by offset']
const LIMIT = 60
type Row = Record<string, unknown>
type Value = (row: ModelRow) => bigint

const usd = (amount: bigint): number => Number(amount) / 1e6

const SORTS: Record<string, Value> = {
  total: ({ realized, unrealized }) => realized + unrealized,
  realized: ({ realized }) => realized,
  profit: ({ profit }) => profit,
  loss: ({ loss }) => loss,
  volume: ({ bought }) => bought,
  wins: ({ wins }) => BigInt(wins),
  positions: ({ positions }) => BigInt(positions),
  unrealized: ({ unrealized }) => unrealized,
}

const TAG_SORTS: Record<string, Value> = {
  net_pnl: ({ realized }) => realized,
  volume: ({ bought }) => bought,
  profit: ({ gained }) => gained,
  loss: ({ lost }) => lost,
}

/**
 * Every board of every period, category and tag, and every list of scopes, as the API shows them, is what the rows
 * of this moment add up to. Returns how many boards there are.
 */
export async function checkBoards(sql: Pool, ask: Ask, { turn, isThorough }: Effort) {
  const model = await readBoardModel(sql)
  let next = turn
  const choose = <Choice>(choices: readonly Choice[]): readonly Choice[] =>
    isThorough ? choices : choices.slice(next % choices.length).slice(0, 1)
  let count = 0
  for (const [period, boards] of model.boards) {
    for (const [scope, rows] of boards) {
      const views = listViews(model, period, scope, [...rows.values()])
      for (const view of choose(views)) {
        next++
        for (const walk of choose(WALKS)) {
          const found = await walkBoard(ask, view, walk, model)
          const title = `${view.path} ${JSON.stringify(view.query)} ${walk}`
          expect(found, title).toEqual(view.expected)
        }
      }
      count++
    }
    if (period !== 'all') await checkScopes(ask, period, boards)
  }
  return count
}

/** A way to ask for a board, and what it must show. */
type View = { path: string; name: string; query: object; expected: Row[] }

function listViews(model: BoardModel, period: string, scope: string, rows: ModelRow[]): View[] {
  const query = queryOf(scope)
  const board = { path: '/v3/leaderboard', name: 'leaderboard' }
  const path = `/v3/tags/${encodeURIComponent(query.tags ?? '')}/leaderboard`
  if (period !== 'all') {
    const expected = ranked(rows, ({ realized }) => realized, false)
      .slice(0, RANKED_MAX)
      .map((row, index) => presentRolling(row, index + 1, model))
    const ofTag = { ...board, path, query: { period }, expected }
    const views = [{ ...board, query: { ...query, period }, expected }]
    return query.tags === undefined ? views : [...views, ofTag]
  }
  const views = Object.entries(SORTS).map(([sort, rankBy]): View => {
    const expected = ranked(rows, rankBy, sort === 'loss').map((row, index) =>
      presentAllTime(row, index + 1, model),
    )
    return { ...board, query: { ...query, sort }, expected }
  })
  if (query.tags === undefined) return views
  const ofTag = Object.entries(TAG_SORTS).map(([sort, rankBy]): View => {
    const expected = ranked(rows, rankBy, sort === 'loss').map((row) => presentTag(row, model))
    return { path, name: 'data', query: { sort }, expected }
  })
  return [...views, ...ofTag]
}

/** `wallet_count` and `ranked_count` are what walking each board gives: the walks found the rows of `boards`. */
async function checkScopes(
  ask: Ask,
  period: string,
  boards: Map<string, Map<number, ModelRow>>,
): Promise<void> {
  for (const kind of ['category', 'tag'] as const) {
    const expected = [...boards]
      .filter(([scope]) => scope.startsWith(`${kind} `))
      .map(([scope, { size }]) => ({
        value: scope.slice(kind.length + 1),
        wallet_count: size,
        ranked_count: Math.min(size, RANKED_MAX),
      }))
      .sort((a, b) => b.wallet_count - a.wallet_count || (a.value < b.value ? -1 : 1))
    const query = { period, scope: kind, limit: SCOPES_LIMIT }
    expect(await ask('/v3/leaderboard/scopes', query)).toMatchObject({
      scopes: expected,
      count: expected.length,
      total_count: expected.length,
    })
  }
}

async function walkBoard(
  ask: Ask,
  { path, name, query }: View,
  walk: Walk,
  { asOfSec }: BoardModel,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: unknown
  for (let hasMore = true; hasMore; ) {
    const place = walk === 'by cursor' ? { cursor } : { offset: rows.length }
    const page = await ask(path, { ...query, ...place, limit: LIMIT })
    expect(page.as_of).toBe(asOfSec)
    rows.push(...(page[name] as Row[]))
    hasMore = page.has_more === true
    cursor = page.next_cursor
    expect(cursor === null).toBe(!hasMore)
  }
  return rows
}

/** The parameter that asks for a scope. */
function queryOf(scope: string): { category?: string; tags?: string } {
  if (scope === nameOfScope({ kind: 'all', value: '' })) return {}
  const [kind = '', ...value] = scope.split(' ')
  return { [kind === 'tag' ? 'tags' : 'category']: value.join(' ') }
}

/** Of equal values the newer wallet is first, in a board of losses the older. */
function ranked(rows: readonly ModelRow[], rankBy: Value, isAscending: boolean): ModelRow[] {
  const sign = isAscending ? -1 : 1
  return rows.toSorted((a, b) => {
    const [one, other] = [rankBy(a), rankBy(b)]
    return sign * (one === other ? b.id - a.id : one < other ? 1 : -1)
  })
}

const presentAllTime = (row: ModelRow, rank: number, { addressOf }: BoardModel): Row => ({
  rank,
  wallet: addressOf(row.id),
  net_realized_pnl: usd(row.realized),
  realized_pnl: usd(row.realized),
  gross_profit: usd(row.profit),
  gross_loss: usd(row.loss),
  unrealized_pnl: usd(row.unrealized),
  total_pnl: usd(row.realized + row.unrealized),
  wins: row.wins,
  losses: row.losses,
  position_count: row.positions,
  open_positions: row.open,
  total_volume: usd(row.bought),
})

const presentRolling = (row: ModelRow, rank: number, { addressOf }: BoardModel): Row => ({
  rank,
  wallet: addressOf(row.id),
  realized_pnl: usd(row.realized),
  gross_profit: usd(row.profit),
  gross_loss: usd(row.loss),
  wins: row.wins,
  losses: row.losses,
  events: row.wins + row.losses,
})

const presentTag = (row: ModelRow, { addressOf }: BoardModel): Row => ({
  wallet: addressOf(row.id),
  net_pnl: text(row.realized),
  gross_profit: text(row.gained),
  gross_loss: text(row.lost),
  total_volume: text(row.bought),
  position_count: row.positions,
})

/** Six decimals; `-0.000000` is none. */
function text(amount: bigint): string {
  const digits = `${amount < 0n ? -amount : amount}`.padStart(7, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}
