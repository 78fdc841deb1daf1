import type { PoolEntry } from './pool.js'
import type { StoredScore } from './pool-queries.js'
import { isToxic } from './score.js'

export const COPY_SORTS = [
  'backtest_copy_pnl_usdc',
  'actual_pnl_usdc',
  'slippage_amount_usdc',
  'slippage_cost_rate_pct',
  'trade_count',
] as const
type CopySort = (typeof COPY_SORTS)[number]

const VALUES: Readonly<Record<CopySort, (score: StoredScore) => bigint | number | null>> = {
  backtest_copy_pnl_usdc: ({ backtest }) => backtest,
  actual_pnl_usdc: ({ actual }) => actual,
  slippage_amount_usdc: ({ slippage }) => slippage,
  slippage_cost_rate_pct: ({ rate }) => rate,
  trade_count: ({ trades }) => trades,
}

const SAMPLE_MAX = 10

type BoardQuery = {
  days: number
  sortBy: CopySort
  isAscending: boolean
  tradesMin: number
  excludesToxic: boolean
  offset: number
  limit: number
}

type RankedWallet = { rank: number; wallet: string; score: StoredScore }

/**
 * The board of a pool. Each wallet is one of three: `errored` when its last scoring run failed, else `scored`
 * when it has a score for the days, else `pending`.
 */
type CopyBoard = {
  scored: number
  filteredIn: number
  pending: number
  errored: number
  results: RankedWallet[]
  erroredSample: PoolEntry[]
  pendingSample: string[]
}

export function rankPool(entries: readonly PoolEntry[], query: BoardQuery): CopyBoard {
  const errored = entries.filter(({ error }) => error !== null)
  const others = entries.filter(({ error }) => error === null)
  const scored = others.flatMap(({ wallet, scores }) => {
    const score = scores.get(query.days)
    return score === undefined ? [] : [{ wallet, score }]
  })
  const pending = others.filter(({ scores }) => !scores.has(query.days))
  const wanted = scored.filter(
    ({ score }) => score.trades >= query.tradesMin && !(query.excludesToxic && isToxic(score)),
  )
  const page = wanted.sort(orderOf(query)).slice(query.offset, query.offset + query.limit)
  return {
    scored: scored.length,
    filteredIn: wanted.length,
    pending: pending.length,
    errored: errored.length,
    results: page.map((row, index) => ({ rank: query.offset + index + 1, ...row })),
    erroredSample: errored.slice(0, SAMPLE_MAX),
    pendingSample: pending.slice(0, SAMPLE_MAX).map(({ wallet }) => wallet),
  }
}

type Scored = { wallet: string; score: StoredScore }

/** Without a value last in both directions; equal ones by address, so that pages fit together. */
function orderOf({ sortBy, isAscending }: BoardQuery): (a: Scored, b: Scored) => number {
  const read = VALUES[sortBy]
  return (a, b) => {
    const [first, second] = [read(a.score), read(b.score)]
    if (first === null || second === null) {
      if (first !== second) return first === null ? 1 : -1
    } else if (first !== second) {
      return first < second === isAscending ? -1 : 1
    }
    return a.wallet < b.wallet ? -1 : 1
  }
}
