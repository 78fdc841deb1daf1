import { toAmount } from '../markets/amounts.js'
import type { Token } from '../universe/market.js'
import { worthOf } from '../universe/outcomes.js'
import type { Wallet } from '../universe/wallet.js'
import type { Api, Standing, Win } from './context.js'
import { gainOf, Marks, measurePerformance } from './marks.js'
import { type Category, isOf, type Period, startOf } from './periods.js'

export type BoardOrder = 'PNL' | 'VOL'

/** The wallets that traded in the period or still hold something, the best first. */
export function rankWallets(api: Api, period: Period, category: Category, order: BoardOrder): Standing[] {
  const key = `${period} ${category}`
  const measured = api.standings.get(key, () => measureAll(api, period, category))
  const score = (standing: Standing) => (order === 'PNL' ? standing.pnl : standing.volumeUsd)
  return api.standings.get(`${key} ${order}`, () =>
    measured.toSorted((a, b) => score(b) - score(a) || a.wallet.index - b.wallet.index),
  )
}

function measureAll(api: Api, period: Period, category: Category): Standing[] {
  const { universe } = api
  const startMs = startOf(universe, period)
  const nowMarks = new Marks(universe, universe.nowMs)
  const startMarks = new Marks(universe, startMs)
  const counts = (of: Token['of']) => isOf(category, of)
  return universe.wallets
    .filter((wallet) => universe.settledActs.ofWallet(wallet).length > 0)
    .map((wallet) => {
      const now = measurePerformance(api.portfolios.of(wallet), nowMarks, counts)
      const start = measurePerformance(api.past[period].of(wallet, startMs), startMarks, counts)
      return {
        wallet,
        pnl: toAmount(now.pnl - start.pnl),
        volumeUsd: toAmount(now.tradedUsd - start.tradedUsd),
        volumeShares: toAmount(now.tradedShares - start.tradedShares),
      }
    })
    .filter(({ pnl, volumeUsd }) => pnl !== 0 || volumeUsd !== 0)
}

const WIN_USD_MIN = 1

/** Positions of resolved markets that won more than a dollar, the biggest first. */
export function rankWins(api: Api, period: Period, category: Category): Win[] {
  return api.wins.get(`${period} ${category}`, () => {
    const sinceMs = startOf(api.universe, period)
    return api.universe.wallets
      .filter((wallet) => api.universe.settledActs.ofWallet(wallet).length > 0)
      .flatMap((wallet) => winsOf(api, wallet))
      .filter(({ token, resolvedMs }) => resolvedMs >= sinceMs && isOf(category, token.of))
      .sort((a, b) => b.pnl - a.pnl || a.wallet.index - b.wallet.index)
  })
}

export function winsOf({ universe, portfolios }: Api, wallet: Wallet): Win[] {
  const wins: Win[] = []
  for (const [token, { position }] of portfolios.of(wallet).holdings) {
    const payouts = universe.payouts(token.of)
    if (payouts === undefined) continue
    const unredeemed = gainOf(position, worthOf(payouts, token.outcome))
    const pnl = toAmount(Number(position.realized) + unredeemed)
    const costUsd = toAmount(position.boughtCost)
    if (pnl > WIN_USD_MIN) {
      wins.push({ wallet, token, pnl, costUsd, resolvedMs: token.of.resolvesMs })
    }
  }
  return wins
}
