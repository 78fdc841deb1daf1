import type { Model } from '../model/read-model.js'
import { type Comparison, type Query, type Row, requestOf } from './comparison.js'
import { byCount, groupBy } from './group-by.js'
import { decimal, sumOf } from './numbers.js'
import { listedPositions } from './positions.js'
import { marketSteps, realizedOf, summaryOf } from './wallets.js'

const DAY_SEC = 86_400
const PERIODS = { '1d': 1, '7d': 7, '30d': 30 }
const ROLLING_MAX = 1_000
const LIMIT = 100
/** Tags whose boards are compared. */
const TAGS_MAX = 2

/** The leaderboards of all periods over all markets, as of the block that each says it knows. */
export async function compareBoards(comparison: Comparison): Promise<void> {
  await compareBoardsOf(comparison, undefined)
  await comparison.eventually(() => compareRanks(comparison))
}

/**
 * The same of some tags, and the lists of categories and tags. The catalogue says which market has which tag: a refresh of
 * the boards after the catalogue has learned of a market is needed too.
 */
export async function compareTagBoards(comparison: Comparison): Promise<void> {
  const { model } = comparison
  const tags = byCount(model.fills.flatMap(({ token }) => tagsOf(model, token)))
  for (const tag of tags.slice(0, TAGS_MAX)) await compareBoardsOf(comparison, tag)
  for (const period of Object.keys(PERIODS)) {
    await comparison.eventually(() => compareScopes(comparison, period))
  }
}

async function compareBoardsOf(comparison: Comparison, tag: string | undefined): Promise<void> {
  await comparison.eventually(() => compareAllTime(comparison, tag))
  for (const [period, days] of Object.entries(PERIODS)) {
    await comparison.eventually(() => compareRolling(comparison, tag, period, days))
  }
}

/** The slugs of a token's tags: those of its event, of which the first is the category. */
function tagsOf({ tokens }: Model, token: string): string[] {
  const of = tokens.get(token)?.of
  return of?.kind === 'market' ? of.event.tags.map(({ slug }) => slug) : []
}

/** `undefined`: whatever its tags. */
const isTagged =
  (model: Model, tag: string | undefined) =>
  ({ token }: { token: string }): boolean =>
    tag === undefined || tagsOf(model, token).includes(tag)

/** A board, with the model as of its block. `undefined`: a difference is noted. */
async function readBoard(comparison: Comparison, path: string, query: Query) {
  const list = await comparison.list(path, 'leaderboard', query, LIMIT)
  if (list === undefined) return undefined
  const asOfSec = Number(list.first.as_of)
  return { found: list.rows, model: comparison.asOf(requestOf(path, query), asOfSec), asOfSec }
}

async function compareAllTime(comparison: Comparison, tag: string | undefined): Promise<void> {
  const path = '/v3/leaderboard'
  const query = { sort: 'realized', tags: tag }
  const board = await readBoard(comparison, path, query)
  if (board === undefined) return
  const { found, model } = board
  const positions = listedPositions(model).filter(isTagged(model, tag))
  const expected = [...groupBy(positions, ({ wallet }) => wallet)].map(([wallet, own]) => {
    const summary = summaryOf(model, own)
    return { wallet, realized_pnl: summary.net_realized_pnl, ...summary }
  })
  compareRanked(comparison, requestOf(path, query), found, expected)
}

async function compareRolling(
  comparison: Comparison,
  tag: string | undefined,
  period: string,
  days: number,
): Promise<void> {
  const path = tag === undefined ? '/v3/leaderboard' : `/v3/tags/${tag}/leaderboard`
  const board = await readBoard(comparison, path, { period })
  if (board === undefined) return
  const steps = stepsOf(board, days).filter(isTagged(board.model, tag))
  const expected = [...groupBy(steps, ({ wallet }) => wallet)].map(([wallet, own]) => ({
    wallet,
    ...realizedOf(own),
  }))
  // Which of equal wallets come last is not said.
  if (expected.length <= ROLLING_MAX) {
    compareRanked(comparison, requestOf(path, { period }), board.found, expected)
  }
}

/** Those of the last days before the block that a board knows. */
const stepsOf = ({ model, asOfSec }: { model: Model; asOfSec: number }, days: number) =>
  marketSteps(model).filter(({ timeSec }) => timeSec > asOfSec - days * DAY_SEC)

function compareRanked(comparison: Comparison, where: string, found: readonly Row[], expected: Row[]): void {
  comparison.rows(where, found, expected, { key: ['wallet'], isOrdered: false })
  comparison.descending(
    where,
    found.map(({ realized_pnl }) => BigInt(Math.round(Number(realized_pnl) * 1e6))),
  )
  for (const [index, row] of found.entries()) {
    comparison.same(`${where}, row ${row.wallet}`, row, { rank: index + 1 })
  }
}

/** Categories and tags in which a wallet realized something. */
async function compareScopes(comparison: Comparison, period: string): Promise<void> {
  const path = '/v3/leaderboard/scopes'
  for (const scope of ['category', 'tag']) {
    const query = { period, scope, limit: 200 }
    const answer = await comparison.get(path, query)
    if (answer === undefined) continue
    const asOfSec = Number(answer.as_of)
    const model = comparison.asOf(requestOf(path, query), asOfSec)
    const wallets = new Map<string, Set<string>>()
    for (const { token, wallet } of stepsOf({ model, asOfSec }, PERIODS[period as keyof typeof PERIODS])) {
      const values = scope === 'tag' ? tagsOf(model, token) : tagsOf(model, token).slice(0, 1)
      for (const value of values) wallets.set(value, (wallets.get(value) ?? new Set()).add(wallet))
    }
    const expected = [...wallets]
      .map(([value, { size }]) => ({
        value,
        wallet_count: size,
        ranked_count: Math.min(size, ROLLING_MAX),
      }))
      .sort((a, b) => b.wallet_count - a.wallet_count || (a.value < b.value ? -1 : 1))
    comparison.rows(requestOf(path, query), answer.scopes as Row[], expected, { key: ['value'] })
  }
}

/** The places of sampled wallets on the rolling boards over all markets. */
async function compareRanks(comparison: Comparison): Promise<void> {
  for (const wallet of comparison.sampled.wallets) {
    const path = `/v3/wallets/${wallet}/ranks`
    const answer = await comparison.get(path)
    if (answer === undefined) continue
    const asOfSec = Number(answer.as_of)
    const model = comparison.asOf(path, asOfSec)
    for (const rank of answer.ranks as Row[]) {
      const days = PERIODS[rank.period as keyof typeof PERIODS]
      if (days === undefined) continue
      const own = stepsOf({ model, asOfSec }, days).filter((step) => step.wallet === wallet)
      const value = own.length === 0 ? null : decimal(sumOf(own.map(({ amount }) => amount)))
      comparison.same(`${path}, ${rank.period}`, rank, { value })
    }
  }
}
