import { toAmount } from '../markets/amounts.js'
import { namesOf } from '../markets/names.js'
import { type BoardOrder, rankWallets, rankWins } from './boards.js'
import { rankBuilderDays, rankBuilders, titleOf } from './builders.js'
import type { Api, BuilderVolume, Route, Standing, Win } from './context.js'
import { CATEGORIES, type Category, PERIODS, type Period } from './periods.js'
import { readChoice, readOptionalUser } from './query.js'
import { pageOfList } from './v2-page.js'

const rule = (list: string) => ({ list, usual: 25, max: 1000 })

/** A board, or both ranks of one wallet. */
export const leaderboardV2: Route = (api, query) => {
  const user = readOptionalUser(api.universe, query)
  if (user === undefined)
    return pageOfList(rule('leaderboard'), query, (bound) => listBoard(api, bound))
  const { period, category } = readBoard(query)
  const ranks = (order: BoardOrder) => {
    const board = rankWallets(api, period, category, order)
    const index = board.findIndex(({ wallet }) => wallet === user.wallet)
    return { standing: board[index], rank: index + 1 }
  }
  const { standing, rank } = ranks('PNL')
  if (standing === undefined) return { data: null }
  const volumeRank = ranks('VOL').rank
  const older = { pnl_rank: rank, volume_rank: volumeRank }
  return {
    data: { ...showStanding(standing), rank_pnl: rank, rank_volume: volumeRank, ...older },
  }
}

function listBoard(api: Api, query: URLSearchParams) {
  const { period, category } = readBoard(query)
  const order = readChoice(query, 'sort_by', ['PNL', 'VOLUME']) === 'PNL' ? 'PNL' : 'VOL'
  return rankWallets(api, period, category, order).map((standing, index) => ({
    rank: index + 1,
    ...showStanding(standing),
  }))
}

const readBoard = (query: URLSearchParams): { period: Period; category: Category } => ({
  period: readChoice(query, 'time_period', PERIODS),
  category: readChoice(query, 'category', CATEGORIES),
})

const showStanding = ({ wallet, pnl, volumeShares, volumeUsd }: Standing) => ({
  user_id: wallet.address,
  user_name: wallet.name,
  profile_image: wallet.profileImage,
  x_username: wallet.xUsername,
  verified: wallet.verified,
  pnl,
  volume: volumeShares,
  // Under the names that an earlier version of the host had.
  proxy_wallet: wallet.address,
  name: wallet.name,
  volume_usdc: volumeUsd,
})

export const biggestWinners: Route = (api, query) =>
  pageOfList(rule('biggest-winners'), query, (bound) => {
    const { period, category } = readBoard(bound)
    return rankWins(api, period, category).map((win, index) => ({
      rank: index + 1,
      ...showWin(win),
    }))
  })

function showWin({ wallet, token, pnl, resolvedMs }: Win) {
  const { conditionId, title, slug, icon, eventSlug, outcome } = namesOf(token)
  return {
    proxy_wallet: wallet.address,
    name: wallet.name,
    profile_image: wallet.profileImage,
    verified: wallet.verified,
    token_id: token.decimal,
    condition_id: conditionId,
    title,
    slug,
    icon,
    event_slug: eventSlug,
    outcome,
    outcome_index: token.outcome,
    pnl,
    resolved_at: Math.floor(resolvedMs / 1000),
  }
}

export const buildersLeaderboardV2: Route = (api, query) =>
  pageOfList(rule('builders-leaderboard'), query, (bound) =>
    rankBuilders(api, readChoice(bound, 'time_period', PERIODS)).map((volume, index) => ({
      rank: index + 1,
      ...showBuilder(volume),
    })),
  )

export const buildersVolumeV2: Route = (api, query) =>
  pageOfList(rule('builders-volume'), query, (bound) =>
    rankBuilderDays(api, readChoice(bound, 'time_period', PERIODS)).map((volume) => ({
      dt: new Date(volume.daySec * 1000).toISOString(),
      rank: volume.rank,
      ...showBuilder(volume),
    })),
  )

/** Volume counts shares here. */
const showBuilder = ({ builder, shares, usd, users }: BuilderVolume) => ({
  builder_name: titleOf(builder),
  builder_code: builder.code,
  profile_image: builder.logo || null,
  verified: builder.verified,
  volume: toAmount(shares),
  active_users: users.size,
  // Under the names that an earlier version of the host had.
  builder: titleOf(builder),
  builder_logo: builder.logo,
  volume_usdc: toAmount(usd),
})
